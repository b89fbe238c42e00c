import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { listChannels } from "#contract/channels.ts";
import { callQuery } from "#console/lib/call-query.ts";

const TWITCH_HOST = /^(?:(?:www|m|go)\.)?twitch\.tv$/;
/** What a channel's own address may have after its name. */
const TABS = ["about", "schedule", "videos"];

/** The login that a line names instead of a video: `name`, `@name`, or a channel's address. */
export function channelOf(line: string): string | null {
  if (/^@?(?=.*[a-z_])\w{3,25}$/i.test(line) && !/^v\d+$/i.test(line))
    return line.replace("@", "").toLowerCase();
  const url = URL.parse(/^https?:\/\//i.test(line) ? line : `https://${line}`);
  if (url === null || !TWITCH_HOST.test(url.hostname) || url.searchParams.has("vodID")) return null;
  const [name = "", tab, ...rest] = url.pathname.split("/").filter((part) => part !== "");
  const isChannel = rest.length === 0 && (tab === undefined || TABS.includes(tab));
  return isChannel && /^\w{3,25}$/.test(name) && name !== "videos" ? name.toLowerCase() : null;
}

/** Where to archive a channel's VODs: its page if it is followed, else the dialog to follow it. */
export function ChannelLine({ login }: { readonly login: string }) {
  const { data } = useQuery(callQuery(listChannels, { query: { search: login } }));
  const followed = data?.items.find((channel) => channel.login === login);
  return followed === undefined ? (
    <>
      {login} is a channel.{" "}
      <Link to="/channels" search={{ add: login }}>
        Follow it
      </Link>{" "}
      to choose from its VODs, and to archive new ones by themselves.
    </>
  ) : (
    <>
      {followed.displayName} is followed.{" "}
      <Link to="/channels/$channelId" params={{ channelId: followed.id }}>
        Choose from its VODs
      </Link>
    </>
  );
}
