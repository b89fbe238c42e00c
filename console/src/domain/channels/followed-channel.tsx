import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { listChannels } from "#contract/channels.ts";
import type { PublicProfile } from "#contract/upload.ts";
import { callQuery } from "#console/lib/call-query.ts";

/** A link to the owner's channel if it is followed, or nothing. */
export function FollowedChannel({
  owner: { twitchId, username },
}: {
  readonly owner: Pick<PublicProfile, "twitchId" | "username">;
}) {
  const found = useQuery(callQuery(listChannels, { query: { search: username, limit: 10 } }));
  const channel = found.data?.items.find(({ id }) => id === twitchId);
  return (
    channel !== undefined && (
      <>
        {" · "}
        <Link to="/channels/$channelId" params={{ channelId: channel.id }}>
          Followed channel
        </Link>
      </>
    )
  );
}
