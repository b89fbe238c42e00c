import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { listChannels, readChannelDefaults, type Channel } from "#contract/channels.ts";
import { useBegun } from "#console/lib/begun.ts";
import { callQuery, pageQuery } from "#console/lib/call-query.ts";
import { pageSize, usePageSize } from "#console/lib/page-size.ts";
import { usePolling } from "#console/lib/polling.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { useList } from "#console/lib/use-list.ts";
import { Button, buttonClassName } from "#console/ui/button.tsx";
import { DataTable } from "#console/ui/list/data-table.tsx";
import { ListCard } from "#console/ui/list/list-card.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { ListBar } from "#console/domain/list-bar.tsx";
import { CHANNELS_POLL_MS, pollMs } from "./channel-actions.ts";
import { channelColumns } from "./channel-columns.tsx";
import type { ChannelsSearch } from "./channels-search.ts";
import { ChannelsSummary } from "./channels-summary.tsx";
import styles from "./channels.module.css";
import { AddChannelsDialog } from "./lazy-parts.ts";
import { AllPausedBanner, PauseAllSwitch } from "./pause-all.tsx";
import { RemoveChannelDialog } from "./remove-channel-dialog.tsx";

const route = getRouteApi("/channels");

function listQuery({ page, search, state, sort, order }: ChannelsSearch, limit = pageSize()) {
  return pageQuery(
    listChannels,
    { page: page ?? 1, search, state, sortBy: sort ?? "lastVodAt", sortOrder: order ?? "desc" },
    limit,
  );
}

function prefetchChannels({ queryClient, search }: ScreenOpening<ChannelsSearch>) {
  return queryClient.prefetchQuery(listQuery(search));
}

function ChannelsPage({ title }: ScreenProps) {
  const search = route.useSearch();
  const { set: setSize, ...size } = usePageSize();
  const channels = useQuery(listQuery(search, size.value));
  usePolling(channels, pollMs(channels.data?.items));
  const defaults = usePolling(useQuery(callQuery(readChannelDefaults)), CHANNELS_POLL_MS);
  const list = useList({
    search,
    navigate: route.useNavigate(),
    query: channels,
    data: channels.data,
    filters: ["state", "search"],
    defaultSort: "lastVodAt",
    dialog: "add",
  });
  const { change } = list;
  const [begun, endBegun] = useBegun();
  const [removed, setRemoved] = useState<Channel | null>(null);
  const columns = useMemo(() => channelColumns(setRemoved), []);
  const writeMissing = useMissingPermission("write:uploads");
  const addButton = (
    <Button
      kind="primary"
      icon={<Plus />}
      disabledReason={writeMissing}
      onClick={() => change({ add: "new" })}
    >
      Add channels
    </Button>
  );
  return (
    <Page
      title={title}
      actions={
        <>
          <StaleMark query={channels} intervalMs={CHANNELS_POLL_MS} />
          <PauseAllSwitch
            defaults={defaults.data}
            isAsked={begun === "pause"}
            onAnswered={endBegun}
          />
          <Link
            to="/notifications"
            search={{ view: "general", new: "1" }}
            className={buttonClassName("secondary")}
          >
            Default rule
          </Link>
          {addButton}
        </>
      }
    >
      <AllPausedBanner defaults={defaults.data} />
      <ListBar list={list} placeholder="Search channels by name..." />
      <ListCard
        list={{ ...list, pageSize: { value: size.value, set: setSize } }}
        failure={{ title: "Failed to load channels" }}
        before={
          channels.data?.summary.channels !== 0 && (
            <div className={styles.summary}>
              <ChannelsSummary summary={channels.data?.summary} search={search} />
            </div>
          )
        }
        empty={{
          title: "No channels found",
          firstHint:
            "Name a channel once, and each of its new VODs is archived by itself. Its owner agrees to that, or you confirm that you hold the rights.",
          firstStep: addButton,
        }}
        noun={["channel", "channels"]}
        pagination="beyond-one-page"
      >
        <DataTable
          list={list}
          caption="Channels"
          columns={columns}
          idOf={({ id }) => id}
          skeletonRows={8}
        />
      </ListCard>
      {search.add !== undefined && writeMissing === undefined && (
        <AddChannelsDialog
          initialText={search.add === "new" ? "" : search.add}
          onClose={list.closeDialog}
        />
      )}
      {removed !== null && (
        <RemoveChannelDialog channel={removed} onClose={() => setRemoved(null)} />
      )}
    </Page>
  );
}

export { ChannelsPage as Screen, prefetchChannels as prefetch };
