import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { UPLOAD_STATUSES, type Upload } from "#contract/upload.ts";
import { useLiveUpdates } from "#console/domain/uploads/live-updates.ts";
import {
  LIVE_POLL_MS,
  LOST_POLL_MS,
  uploadsQuery,
  workQuery,
} from "#console/domain/uploads/upload-queries.ts";
import { workFirst } from "#console/domain/uploads/upload-merge.ts";
import { WorkStrip } from "#console/domain/uploads/work-strip.tsx";
import { pageSize, usePageSize } from "#console/lib/page-size.ts";
import { usePolling } from "#console/lib/polling.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { useList } from "#console/lib/use-list.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, type ButtonProps } from "#console/ui/button.tsx";
import { DataTable } from "#console/ui/list/data-table.tsx";
import { FilterSelect } from "#console/ui/list/filter-select.tsx";
import { ListCard } from "#console/ui/list/list-card.tsx";
import { Select } from "#console/ui/select.tsx";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { UPLOAD_STATUS_LABELS } from "#console/ui/upload-status-badge.tsx";
import { ListBar } from "#console/domain/list-bar.tsx";
import {
  NewArchiveDialog,
  SelectedUploads,
  UploadDebugPanel,
  UploadDialog,
  UploadDrawer,
} from "./lazy-parts.tsx";
import { LiveToggle, Reconnecting } from "./live-toggle.tsx";
import { uploadColumns } from "./upload-columns.tsx";
import { useUploadActions, type OpenUploadDialog } from "./upload-items.tsx";
import type { UploadsSearch } from "./uploads-search.ts";
import { UploadAnnouncements } from "./upload-announcements.tsx";
import { useUploadSelection } from "./use-upload-selection.ts";

/** Delay of the toast about a broken stream (docs/console.md#live-updates). */
const LOST_TOAST_AFTER_MS = 2_000;
const LOST_TOAST = 'Real-time updates disconnected. Click "Resume Live Updates" to reconnect.';

const STATUS_OPTIONS = UPLOAD_STATUSES.map((value) => ({
  value,
  label: UPLOAD_STATUS_LABELS[value],
}));

const route = getRouteApi("/uploads");

/** Where the list begins, by sort and order; headers have all others. */
const ORDERS = [
  { value: "work", label: "Work first" },
  { value: "startedAt", label: "Newest first" },
  { value: "recordedAt", label: "Newest broadcast" },
  { value: "size", label: "Largest first" },
];

function viewOf({ page = 1, status, search, sort, order }: UploadsSearch) {
  return { page, status, search, sortBy: sort, sortOrder: order, limit: pageSize() };
}

function prefetchUploads({ queryClient, search }: ScreenOpening<UploadsSearch>) {
  return Promise.all([
    queryClient.prefetchQuery(uploadsQuery(viewOf(search), search.live !== "paused")),
    queryClient.prefetchQuery(workQuery()),
  ]);
}

function UploadsPage({ title }: ScreenProps) {
  const search = route.useSearch();
  const size = usePageSize();
  const view = viewOf(search);
  const wanted = search.live !== "paused";
  const [tries, setTries] = useState(0);
  const liveState = useLiveUpdates(wanted ? tries : null);
  const isLost = wanted && liveState === "lost";
  const live = wanted && !isLost;
  useLostToast(isLost);
  const pollMs = wanted && (isLost ? LOST_POLL_MS : LIVE_POLL_MS);
  const uploads = useQuery(uploadsQuery(view, wanted));
  const { data } = uploads;
  // Not for each beginning of a poll: the screen does not show that.
  const work = useQuery({ ...workQuery(), notifyOnChangeProps: ["data", "status"] });
  usePolling(uploads, pollMs);
  usePolling(work, pollMs);
  const list = useList({
    search,
    navigate: route.useNavigate(),
    query: uploads,
    data,
    filters: ["status", "search"],
    defaultSort: "work",
    dialog: search.archive === undefined ? "upload" : "archive",
  });
  const { change, filter } = list;
  const isOffered =
    list.sort.order === "desc" && ORDERS.some(({ value }) => value === list.sort.by);
  function setSize(value: number) {
    size.set(value);
    filter({});
  }
  const isWhole = !list.isFiltered && list.page === 1 && list.sort.by === "work";
  // Rows of the work that came after those of the list would move them.
  const isWaiting = isWhole && work.isPending;
  const listed = isWaiting ? undefined : list.rows;
  const atWork = isWhole ? work.data?.uploads : undefined;
  const { rows, elsewhere } = useMemo(
    () =>
      listed === undefined || atWork === undefined
        ? { rows: listed, elsewhere: [] }
        : workFirst(atWork, listed),
    [listed, atWork],
  );
  const selected = useUploadSelection(rows ?? [], view);

  const writeMissing = useMissingPermission("write:uploads");
  const [dialog, setDialog] = useState<OpenUploadDialog | null>(null);
  const closeDialog = () => setDialog(null);
  const actions = useUploadActions(setDialog);
  const columns = useMemo(() => uploadColumns(actions), [actions]);
  const subject = rows?.find(({ id }) => id === dialog?.upload.id) ?? dialog?.upload;

  const { debug: openId } = search;
  const toggle = useCallback(
    ({ id }: Upload) => change({ debug: id === openId ? undefined : id }, true),
    [change, openId],
  );

  return (
    <Page
      title={title}
      fullWidth
      actions={
        <>
          {isLost ? (
            <Reconnecting updatedAtMs={uploads.dataUpdatedAt} />
          ) : (
            <StaleMark query={uploads} intervalMs={pollMs} />
          )}
          <LiveToggle
            state={liveState}
            live={live}
            onToggle={() => {
              if (isLost) setTries((before) => before + 1);
              else change({ live: live ? "paused" : undefined }, true);
            }}
          />
          <NewArchiveButton kind="primary" onClick={() => change({ archive: "new" })} />
        </>
      }
    >
      <ListBar
        list={list}
        placeholder="Search uploads by filename, user, or title..."
        refreshing={uploads.isFetching && !live}
      >
        <FilterSelect
          label="Status"
          all="All Status"
          value={search.status}
          options={STATUS_OPTIONS}
          onChange={(status) => filter({ status })}
        />
        <Select
          label="Sort by"
          value={isOffered ? list.sort.by : ""}
          options={isOffered ? ORDERS : [...ORDERS, { value: "", label: "By a column" }]}
          onChange={(by) => list.sortBy(by, "desc")}
        />
      </ListBar>
      <UploadAnnouncements
        uploads={uploads.isPlaceholderData ? undefined : rows}
        scope={JSON.stringify(view)}
      />
      <ListCard
        list={{ ...list, pageSize: { value: size.value, set: setSize } }}
        failure={{ title: "Failed to load uploads" }}
        before={
          <SelectionBar
            list={list}
            selected={selected}
            idle={<WorkStrip work={work.data} elsewhere={elsewhere} />}
          >
            <SelectedUploads selected={selected} />
          </SelectionBar>
        }
        empty={{
          title: "No uploads found",
          firstHint: "Nothing has been archived yet. Start with a VOD's address.",
          firstStep: <NewArchiveButton onClick={() => change({ archive: "new" })} />,
        }}
      >
        <DataTable
          list={{ ...list, rows }}
          caption="Uploads"
          columns={columns}
          idOf={({ id }) => id}
          skeletonRows={DEFAULT_PAGE_SIZE}
          selected={selected}
          nameOf={({ filename }) => visibleText(filename)}
          detail={{ openId, onToggle: toggle, render: renderDebugPanel, flush: true }}
        />
      </ListCard>
      {search.upload !== undefined && (
        <UploadDrawer
          key={search.upload}
          id={search.upload}
          rows={rows}
          act={search.act}
          onAct={(act) => change({ act }, true)}
          onClose={list.closeDialog}
        />
      )}
      {dialog !== null && subject && (
        <UploadDialog kind={dialog.kind} upload={subject} onClose={closeDialog} />
      )}
      {search.archive !== undefined && writeMissing === undefined && (
        <NewArchiveDialog
          initialText={search.archive === "new" ? "" : search.archive}
          onClose={list.closeDialog}
          onShowUpload={(upload) =>
            filter({ archive: undefined, upload, search: undefined, status: undefined })
          }
        />
      )}
    </Page>
  );
}

function NewArchiveButton(props: Pick<ButtonProps, "kind" | "onClick">) {
  return (
    <Button {...props} icon={<Plus />} disabledReason={useMissingPermission("write:uploads")}>
      New archive
    </Button>
  );
}

function renderDebugPanel(upload: Upload) {
  return <UploadDebugPanel upload={upload} />;
}

/** Says that the stream is lost, unless it comes back within two seconds. */
function useLostToast(isLost: boolean): void {
  useEffect(() => {
    if (!isLost) return undefined;
    const timer = setTimeout(() => toast.error(LOST_TOAST), LOST_TOAST_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isLost]);
}

export { UploadsPage as Screen, prefetchUploads as prefetch };
