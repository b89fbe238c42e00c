import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { SlidersHorizontal } from "lucide-react";
import { useState, type ReactNode } from "react";
import { getChannel, readChannelDefaults, type Channel } from "#contract/channels.ts";
import { twitchUserIdSchema, type TwitchUserId } from "#contract/ids.ts";
import { ApiError } from "#console/lib/api-error.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { usePolling } from "#console/lib/polling.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button, buttonClassName } from "#console/ui/button.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ItemButtons } from "#console/ui/item-buttons.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { Time } from "#console/ui/time.tsx";
import { pollMs } from "./channel-actions.ts";
import { ChannelHead } from "./channel-head.tsx";
import { useChannelItems } from "./channel-menu.tsx";
import type { ChannelSearch } from "./channel-search.ts";
import { ChannelVods, vodsQuery } from "./channel-vods.tsx";
import { RuleDialog } from "./lazy-parts.ts";
import { RemoveChannelDialog } from "./remove-channel-dialog.tsx";

const route = getRouteApi("/channels/$channelId");

function channelQuery(id: TwitchUserId) {
  return { ...callQuery(getChannel, { params: { id } }), staleTime: JUST_ANSWERED_MS };
}

async function prefetchChannel({ queryClient, params, search }: ScreenOpening<ChannelSearch>) {
  const id = twitchUserIdSchema.safeParse(params["channelId"]).data;
  if (id === undefined) return;
  void queryClient.prefetchQuery(vodsQuery(id, search));
  await queryClient.prefetchQuery(channelQuery(id));
}

/** Its type is stated because the routes, which tell its parameters, are made from it. */
function ChannelPage({ title }: ScreenProps): ReactNode {
  const id = twitchUserIdSchema.safeParse(route.useParams().channelId).data;
  return id === undefined ? (
    <NotFollowed title={title} />
  ) : (
    <FollowedChannel key={id} id={id} title={title} />
  );
}

function FollowedChannel({ id, title }: ScreenProps & { readonly id: TwitchUserId }) {
  const channel = useQuery(channelQuery(id));
  const intervalMs = pollMs(channel.data && [channel.data]);
  usePolling(channel, intervalMs);
  const [isEditing, setEditing] = useState(false);
  const { error, data } = channel;
  if (error instanceof ApiError && error.code === "not_found") return <NotFollowed title={title} />;
  return (
    <Page
      title={data === undefined ? title : visibleText(data.displayName)}
      subtitle={data === undefined ? "\u00A0" : <Subtitle channel={data} />}
      actions={data && <Actions channel={data} onEdit={() => setEditing(true)} />}
    >
      {data && <Troubles channel={data} />}
      <QueryBody query={channel}>{(known) => <ChannelHead channel={known} />}</QueryBody>
      <ChannelVods id={id} channel={data} intervalMs={intervalMs} />
      {isEditing && data && <RuleDialog channel={data} onClose={() => setEditing(false)} />}
    </Page>
  );
}

/** Whether it is live, and where. */
function Subtitle({ channel: { login, live } }: { readonly channel: Channel }) {
  return (
    <>
      <a href={`https://www.twitch.tv/${login}`} target="_blank" rel="noreferrer">
        @{visibleText(login)}
      </a>
      {live === null ? (
        " · Not live"
      ) : (
        <>
          {" · "}
          <strong className="bad">Live</strong>, began <Time at={live.startedAt} />:{" "}
          {visibleText(live.title)}
        </>
      )}
    </>
  );
}

function Actions({ channel, onEdit }: { readonly channel: Channel; readonly onEdit: () => void }) {
  const navigate = useNavigate();
  const [isRemoving, setRemoving] = useState(false);
  return (
    <>
      <ItemButtons items={useChannelItems(channel, () => setRemoving(true))} />
      <Button kind="primary" icon={<SlidersHorizontal />} onClick={onEdit}>
        Rule
      </Button>
      {isRemoving && (
        <RemoveChannelDialog
          channel={channel}
          onRemoved={() => navigate({ to: "/channels" })}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

/** What keeps its rule from being followed. */
function Troubles({ channel }: { readonly channel: Channel }) {
  const defaults = useQuery(callQuery(readChannelDefaults));
  const allPausedAt = defaults.data?.pausedAt ?? null;
  return (
    <>
      {allPausedAt !== null ? (
        <Banner
          tone="warn"
          actions={
            <Link to="/channels" className={buttonClassName("secondary")}>
              Channels
            </Link>
          }
        >
          All rules have been paused since <Time at={allPausedAt} />
          {defaults.data?.pausedBy && `, by ${visibleText(defaults.data.pausedBy.displayName)}`}:
          nothing is archived or removed by itself.
        </Banner>
      ) : (
        channel.pausedAt !== null && (
          <Banner tone="warn">
            This channel has been paused since <Time at={channel.pausedAt} />: nothing is archived
            or removed by itself.
          </Banner>
        )
      )}
      {channel.trouble !== null && channel.basis !== null && (
        <Banner tone="bad">{visibleText(channel.trouble)}</Banner>
      )}
    </>
  );
}

function NotFollowed({ title }: ScreenProps) {
  return (
    <Page title={title}>
      <EmptyState
        title="This channel is not followed"
        hint="It may have been removed. Its files stay."
        action={
          <Link to="/channels" className={buttonClassName("secondary")}>
            Channels
          </Link>
        }
      />
    </Page>
  );
}

export { ChannelPage as Screen, prefetchChannel as prefetch };
