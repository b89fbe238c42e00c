import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CloudDownload, Plus } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { uploadIdSchema } from "#contract/ids.ts";
import { UPLOAD_STATUSES, type Upload, type UploadStatus } from "#contract/upload.ts";
import { LINKED_PAGES } from "#contract/pages.ts";
import { useListAddress, useRowsOfPage } from "#console/lib/list-address.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Button, type ButtonProps } from "#console/ui/button.tsx";
import { lazyDialog } from "#console/ui/dialog.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { FilterBar } from "#console/ui/list/filter-bar.tsx";
import { EmptyList, ListCard } from "#console/ui/list/list-card.tsx";
import { Page } from "#console/ui/page.tsx";
import { PermissionGate } from "#console/ui/permission-gate.tsx";
import { Select } from "#console/ui/select.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { UPLOAD_STATUS_LABELS } from "#console/ui/upload-status-badge.tsx";
import { ListTools } from "#console/features/views/list-tools.tsx";
import { FilesOnTheirWay } from "./files-on-their-way.tsx";
import { LiveToggle } from "./live-toggle.tsx";
import { useLiveUpdates } from "./live-updates.ts";
import { useUploadActions } from "./upload-actions.ts";
import { UploadAnnouncements } from "./upload-announcements.tsx";
import { UploadMenu } from "./upload-menu.tsx";
import { LIVE_POLL_MS, uploadsQuery } from "./upload-queries.ts";
import type { UploadsSearch } from "./uploads-search.ts";
import { UploadsTable } from "./uploads-table.tsx";

const CancelUploadDialog = lazyDialog(
  async () => (await import("./cancel-upload-dialog.tsx")).CancelUploadDialog,
);
const DeleteUploadDialog = lazyDialog(
  async () => (await import("./delete-upload-dialog.tsx")).DeleteUploadDialog,
);
const LinkedUpload = lazyPart(async () => (await import("./linked-upload.tsx")).LinkedUpload);
const NewArchiveDialog = lazyDialog(
  async () => (await import("./new-archive-dialog.tsx")).NewArchiveDialog,
);
const PlaybackDialog = lazyDialog(
  async () => (await import("./playback-dialog.tsx")).PlaybackDialog,
);

/** Delay of the toast about a broken stream (docs/console.md#live-updates). */
const LOST_TOAST_AFTER_MS = 2_000;
const LOST_TOAST = 'Real-time updates disconnected. Click "Resume Live Updates" to reconnect.';

const STATUS_OPTIONS: readonly { value: UploadStatus | "all"; label: string }[] = [
  { value: "all", label: "All Status" },
  ...UPLOAD_STATUSES.map((status) => ({ value: status, label: UPLOAD_STATUS_LABELS[status] })),
];

/** File and Actions always show. */
const HIDEABLE = {
  status: "Status",
  progress: "Progress",
  size: "Size",
  started: "Started",
  duration: "Duration",
  debug: "Debug",
};

const route = getRouteApi("/uploads");

const TITLE = "Upload Monitor";

export function UploadsPage() {
  return (
    <PermissionGate permission={LINKED_PAGES["/uploads"]} title={TITLE}>
      <UploadMonitor />
    </PermissionGate>
  );
}

type OpenDialog = { readonly kind: "cancel" | "delete" | "play"; readonly upload: Upload };

function UploadMonitor() {
  const search = route.useSearch();
  const { change, filter, searchFor, goTo, turn } = useListAddress<UploadsSearch>(
    route.useNavigate(),
  );

  const live = search.live !== "paused";
  const pause = useLostStream(live, change);
  const liveState = useLiveUpdates(live, pause);
  const view = { page: search.page ?? 1, status: search.status, search: search.search };
  const uploads = useQuery(uploadsQuery(view, live));
  const pollMs = live && LIVE_POLL_MS;
  usePolling(uploads, pollMs);
  const { data } = uploads;
  const isFiltered = view.status !== undefined || view.search !== undefined;
  const items = useRowsOfPage(
    view.page,
    data,
    data?.items,
    goTo,
    uploads.isPlaceholderData && !isFiltered,
  );

  const writeMissing = useMissingPermission("write:uploads");
  const {
    retry: { mutate: retry },
    cancel,
    remove,
  } = useUploadActions();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const closeDialog = () => setDialog(null);

  const { upload: openId } = search;
  const toggle = useCallback(
    ({ id }: Upload) => change({ upload: id === openId ? undefined : id }, true),
    [change, openId],
  );
  const renderMenu = useCallback(
    (upload: Upload) => (
      <UploadMenu
        upload={upload}
        onRetry={() => retry(upload.id)}
        onCancel={() => setDialog({ kind: "cancel", upload })}
        onDelete={() => setDialog({ kind: "delete", upload })}
        onPlay={() => setDialog({ kind: "play", upload })}
      />
    ),
    [retry],
  );

  return (
    <Page
      title={TITLE}
      fullWidth
      actions={
        <>
          <StaleMark query={uploads} intervalMs={pollMs} />
          <LiveToggle
            state={liveState}
            live={live}
            onToggle={() => change({ live: live ? "paused" : undefined }, true)}
          />
          <FilesOnTheirWay onOpen={() => change({ archive: "new" })} />
          <NewArchiveButton kind="primary" onClick={() => change({ archive: "new" })} />
        </>
      }
    >
      <FilterBar
        search={{
          placeholder: "Search uploads by filename, user, or title...",
          value: search.search ?? "",
          onChange: searchFor,
        }}
        refreshing={uploads.isFetching && !live}
        onRefresh={() => void uploads.refetch()}
        tools={
          <ListTools
            screen="/uploads"
            columns={HIDEABLE}
            current={{ status: search.status, search: search.search, hide: search.hide }}
            onHide={(hide) => change({ hide }, true)}
          />
        }
      >
        <Select
          label="Status"
          value={search.status ?? "all"}
          options={STATUS_OPTIONS}
          onChange={(status) => filter({ status: status === "all" ? undefined : status })}
        />
      </FilterBar>
      {search.upload !== undefined && data?.items.every((item) => item.id !== search.upload) && (
        <LinkedUpload
          id={uploadIdSchema.safeParse(search.upload).data}
          onClose={() => change({ upload: undefined })}
        />
      )}
      <UploadAnnouncements
        uploads={uploads.isPlaceholderData ? undefined : items}
        scope={JSON.stringify(view)}
      />
      <ListCard
        query={uploads}
        facts={data}
        isEmpty={items?.length === 0}
        failure={{ title: "Failed to load uploads" }}
        empty={
          <EmptyList
            icon={<CloudDownload />}
            title="No uploads found"
            onClear={
              isFiltered ? () => filter({ search: undefined, status: undefined }) : undefined
            }
            firstHint="Nothing has been archived yet. Start with a VOD's address."
            firstStep={<NewArchiveButton onClick={() => change({ archive: "new" })} />}
          />
        }
        hide={search.hide}
        page={view.page}
        onTurn={turn}
      >
        <UploadsTable
          uploads={items}
          scope={JSON.stringify(view)}
          busy={uploads.isPlaceholderData}
          openId={openId}
          onToggle={toggle}
          renderMenu={renderMenu}
        />
      </ListCard>
      {dialog?.kind === "cancel" && (
        <CancelUploadDialog
          upload={items?.find(({ id }) => id === dialog.upload.id) ?? dialog.upload}
          onConfirm={() => cancel.mutateAsync(dialog.upload.id)}
          onClose={closeDialog}
        />
      )}
      {dialog?.kind === "delete" && (
        <DeleteUploadDialog
          upload={items?.find(({ id }) => id === dialog.upload.id) ?? dialog.upload}
          question="Are you sure you want to delete this upload?"
          onConfirm={(file) => remove.mutateAsync({ id: dialog.upload.id, file })}
          onClose={closeDialog}
        />
      )}
      {search.archive !== undefined && writeMissing === undefined && (
        <NewArchiveDialog
          initialText={search.archive === "new" ? "" : search.archive}
          onClose={() => change({ archive: undefined }, true)}
          onShowUpload={(upload) =>
            filter({ archive: undefined, upload, search: undefined, status: undefined })
          }
        />
      )}
      {dialog?.kind === "play" && <PlaybackDialog upload={dialog.upload} onClose={closeDialog} />}
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

/** Switches live updates off at once, and says so after two seconds unless they are on again. */
function useLostStream(
  live: boolean,
  change: (next: Partial<UploadsSearch>, replace: boolean) => void,
) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => (live ? undefined : () => clearTimeout(timer.current)), [live]);
  return useCallback(() => {
    change({ live: "paused" }, true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => toast.error(LOST_TOAST), LOST_TOAST_AFTER_MS);
  }, [change]);
}
