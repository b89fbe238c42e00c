import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Archive, RefreshCw, X } from "lucide-react";
import { useMemo, useState } from "react";
import { listVods, VOD_STATES, type Vod, type VodState } from "#contract/channel-vods.ts";
import type { Channel } from "#contract/channels.ts";
import type { DataOf } from "#contract/call.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import type { ObjectKey } from "#contract/files.ts";
import type { TwitchUserId, TwitchVodId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "#contract/limits.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { costFigures, hasBill } from "#console/lib/deployment.ts";
import { formatCount, formatDuration, formatPlural, formatUsd } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { JUST_ANSWERED_MS, refresh } from "#console/lib/query-client.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { useList } from "#console/lib/use-list.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { Figures } from "#console/ui/figures.tsx";
import { DataTable } from "#console/ui/list/data-table.tsx";
import { FilterSelect } from "#console/ui/list/filter-select.tsx";
import { ListCard } from "#console/ui/list/list-card.tsx";
import { SaveSelected } from "#console/mp4/save-selected.tsx";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { useSelection } from "#console/ui/list/use-selection.ts";
import { SearchField } from "#console/ui/search-field.tsx";
import type { ChannelSearch } from "./channel-search.ts";
import { useDecisions } from "./use-decisions.ts";
import { VOD_STATE_LABELS, vodColumns } from "./vod-columns.tsx";
import { ROUGH } from "#console/domain/channels/vod-words.ts";

/** As many as can be decided with a few calls. */
const MAX_SELECTED_VODS = 1_000;

const route = getRouteApi("/channels/$channelId");

/** What selects a channel's VODs, and their order. */
function vodsView({ search, state, sort, order }: ChannelSearch) {
  return { search, state, sortBy: sort ?? "recordedAt", sortOrder: order ?? "desc" } as const;
}

export function vodsQuery(id: TwitchUserId, search: ChannelSearch) {
  const query = { ...vodsView(search), page: search.page ?? 1, limit: DEFAULT_PAGE_SIZE };
  return {
    ...callQuery(listVods, { params: { id }, query }),
    placeholderData: keepPreviousData,
    staleTime: JUST_ANSWERED_MS,
  };
}

/** The channel's VODs at the source beside the archive, and what to do with them. */
export function ChannelVods({
  id,
  channel,
  intervalMs,
}: {
  readonly id: TwitchUserId;
  readonly channel: Channel | undefined;
  readonly intervalMs: number;
}) {
  const search = route.useSearch();
  const vods = usePolling(useQuery(vodsQuery(id, search)), intervalMs);
  const list = useList({
    search,
    navigate: route.useNavigate(),
    query: vods,
    data: vods.data,
    filters: ["state", "search"],
    defaultSort: "recordedAt",
  });
  const { mutate: decide, mutateAsync: decideNow, isPending: isDeciding } = useDecisions(id);
  const writeMissing = useMissingPermission("write:uploads");
  const [asks, setAsks] = useState(false);
  const view = vodsView(search);
  const selected = useSelection<Vod, TwitchVodId, SelectedVod>({
    page: list.rows ?? [],
    scope: JSON.stringify(view),
    read: (vod) => [vod.id, selectedVodOf(vod)],
    fetchMatching: () => fetchMatching(id, view),
    cappedText: (count) => `Selected the first ${count} VODs`,
  });
  const columns = useMemo(
    () => vodColumns((vod, decision) => decide({ decision, vodIds: [vod.id] }), writeMissing),
    [decide, writeMissing],
  );
  function decideSelected(decision: "take" | "leave") {
    decide({ decision, vodIds: [...selected.selection.keys()] }, { onSuccess: selected.clear });
  }
  const { notArchived, removedAtOnce = 0 } = vods.data ?? {};
  return (
    <>
      <div className="wrap">
        <SearchField
          placeholder="Search VODs by title..."
          value={list.text}
          onChange={list.searchFor}
        />
        <FilterSelect
          label="State"
          all="All VODs"
          value={search.state}
          options={VOD_STATES.map((value) => ({ value, label: stateLabel(value, channel) }))}
          onChange={(state) => list.filter({ state })}
        />
        <IconButton
          kind="secondary"
          label="Refresh"
          aria-keyshortcuts="r"
          data-shortcut="refresh"
          busy={vods.isFetching}
          onClick={() => refresh(vods)}
        >
          <RefreshCw />
        </IconButton>
      </div>
      <ListCard
        list={list}
        failure={{ title: "Failed to load VODs" }}
        empty={{
          title: "No VODs found",
          firstHint:
            channel?.checkedAt === null
              ? "The channel's list is read within a minute or two."
              : "The source lists no VODs of this channel. New ones appear here by themselves.",
        }}
        noun={["VOD", "VODs"]}
        pagination="beyond-one-page"
        before={
          list.rows !== undefined &&
          list.rows.length > 0 && (
            <SelectionBar
              list={list}
              selected={selected}
              idle={
                notArchived !== undefined && notArchived.vods > 0 ? (
                  <Button
                    icon={<Archive />}
                    disabledReason={writeMissing}
                    onClick={() => setAsks(true)}
                  >{`Archive all ${amountText(notArchived)}`}</Button>
                ) : (
                  <span className="soft">
                    {archivedText(channel?.vods.failed ?? 0, removedAtOnce)}
                  </span>
                )
              }
            >
              <Button
                icon={<Archive />}
                busy={isDeciding}
                disabled={selected.selection.size === 0}
                disabledReason={writeMissing}
                onClick={() => decideSelected("take")}
              >
                Archive
              </Button>
              <Button
                icon={<X />}
                busy={isDeciding}
                disabled={selected.selection.size === 0}
                disabledReason={writeMissing}
                onClick={() => decideSelected("leave")}
              >
                Don't archive
              </Button>
              <SaveSelected
                files={[...selected.selection.values()].filter((file) => file !== null)}
              />
            </SelectionBar>
          )
        }
      >
        <DataTable
          list={list}
          caption="VODs"
          columns={columns}
          idOf={(vod) => vod.id}
          nameOf={({ title }) => visibleText(title)}
          skeletonRows={DEFAULT_PAGE_SIZE / 2}
          selected={selected}
        />
      </ListCard>
      {asks && notArchived !== undefined && (
        <ConfirmDialog
          title={`Archive all ${formatCount(notArchived.vods)}?`}
          question={`${formatPlural(notArchived.vods, "VOD")} that the source has and the archive has not, whatever the rule says.${removedAtOnce === 0 ? "" : ` Not ${leftOutText(removedAtOnce)}: select those to keep.`}`}
          confirmLabel="Archive all"
          onConfirm={async () => {
            await decideNow({ decision: "take" });
            // As wanted, queued and stored ones, they would leave any single state's list.
            list.filter({ state: undefined, search: undefined });
          }}
          onClose={() => setAsks(false)}
        >
          <Figures
            figures={[
              { name: "Length", value: formatDuration(notArchived.durationSec) },
              {
                name: "Size (estimate)",
                value: formatBytes(notArchived.sizeBytes),
                note: notArchived.isRough && ROUGH,
              },
              ...costFigures({
                Copying: notArchived.copyUsd,
                "Storage per month": notArchived.usdPerMonth,
              }),
            ]}
          />
        </ConfirmDialog>
      )}
    </>
  );
}

/** They can be taken one by one. */
function leftOutText(removedAtOnce: number): string {
  return `${formatPlural(removedAtOnce, "VOD")} that the rule's retention would remove at once`;
}

/** What there is besides what is archived or on its way. */
function archivedText(failed: number, removedAtOnce: number): string {
  const others = [
    ...(failed === 0 ? [] : [`${formatPlural(failed, "VOD")} failed`]),
    ...(removedAtOnce === 0 ? [] : [leftOutText(removedAtOnce)]),
  ];
  return others.length === 0
    ? "All is archived, or on its way."
    : `All is archived, or on its way, but ${others.join(" and ")}.`;
}

/** E.g. "214 (1.9 TB, $28 a month)". */
function amountText({ vods, sizeBytes, usdPerMonth }: DataOf<typeof listVods>["notArchived"]) {
  const usd =
    usdPerMonth >= 10 ? `$${formatCount(Math.round(usdPerMonth))}` : formatUsd(usdPerMonth);
  return `${formatCount(vods)} (${formatBytes(sizeBytes)}${hasBill() ? `, ${usd} a month` : ""})`;
}

function stateLabel(state: VodState, channel: Channel | undefined): string {
  const { stored, failed, leftOut, lost } = channel?.vods ?? {};
  const counts: Partial<Record<VodState, number | undefined>> = {
    stored,
    failed,
    left_out: leftOut,
    lost,
  };
  const count = counts[state];
  return count === undefined
    ? VOD_STATE_LABELS[state]
    : `${VOD_STATE_LABELS[state]} (${formatCount(count)})`;
}

/** What can be saved of it; null if it is not stored. */
type SelectedVod = { readonly key: ObjectKey; readonly name: string; readonly size: number } | null;

function selectedVodOf({ fileKey: key, title: name, sizeBytes: size }: Vod): SelectedVod {
  return key && { key, name, size };
}

async function fetchMatching(id: TwitchUserId, view: ReturnType<typeof vodsView>) {
  const rows: (readonly [TwitchVodId, SelectedVod])[] = [];
  for (let page = 1; ; page += 1) {
    const query = { ...view, page, limit: MAX_PAGE_SIZE };
    // oxlint-disable-next-line no-await-in-loop -- Each answer says whether another page follows.
    const { items, hasNext } = await call(listVods, { params: { id }, query });
    rows.push(...items.map((vod) => [vod.id, selectedVodOf(vod)] as const));
    if (!hasNext || rows.length >= MAX_SELECTED_VODS) return { rows, isCapped: hasNext };
  }
}
