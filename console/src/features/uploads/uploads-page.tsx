import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CloudDownload, Plus, RefreshCw } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { uploadIdSchema } from "#contract/ids.ts";
import { UPLOAD_STATUSES, type Upload, type UploadStatus } from "#contract/uploads.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { useCan, useMissingPermission } from "#console/lib/session.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { Page } from "#console/ui/page.tsx";
import { Pagination } from "#console/ui/pagination.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { Select } from "#console/ui/select.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { Toolbar } from "#console/ui/toolbar.tsx";
import { UPLOAD_STATUS_LABELS } from "#console/ui/upload-status-badge.tsx";
import { DeleteUploadDialog } from "./delete-upload-dialog.tsx";
import { LinkedUpload } from "./linked-upload.tsx";
import { LiveToggle } from "./live-toggle.tsx";
import { useLiveUpdates } from "./live-updates.ts";
import { useUploadActions } from "./upload-actions.ts";
import { UploadMenu } from "./upload-menu.tsx";
import { uploadsQuery } from "./upload-queries.ts";
import type { UploadsSearch } from "./uploads-search.ts";
import { UploadsTable } from "./uploads-table.tsx";

const NewArchiveDialog = lazy(async () => ({
  default: (await import("./new-archive-dialog.tsx")).NewArchiveDialog,
}));
const PlaybackDialog = lazy(async () => ({
  default: (await import("./playback-dialog.tsx")).PlaybackDialog,
}));

/** Specification section 4: the toast about a broken stream waits this long. */
const LOST_TOAST_AFTER_MS = 2_000;
const LOST_TOAST = 'Real-time updates disconnected. Click "Resume Live Updates" to reconnect.';

const STATUS_OPTIONS: readonly { value: UploadStatus | "all"; label: string }[] = [
  { value: "all", label: "All Status" },
  ...UPLOAD_STATUSES.map((status) => ({ value: status, label: UPLOAD_STATUS_LABELS[status] })),
];

const route = getRouteApi("/uploads");

export function UploadsPage() {
  return useCan("read:uploads") ? (
    <UploadMonitor />
  ) : (
    <Page title="Upload Monitor">
      <ForbiddenState permission="read:uploads" />
    </Page>
  );
}

type OpenDialog = { readonly kind: "delete" | "play"; readonly upload: Upload };

function UploadMonitor() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback(
    (next: Partial<UploadsSearch>, replace = false) => {
      void navigate({
        search: (before) => ({ ...before, ...next }),
        replace,
        resetScroll: false,
      });
    },
    [navigate],
  );

  const live = search.live !== "paused";
  const pause = useLostStream(change);
  const liveState = useLiveUpdates(live, pause);
  const view = { page: search.page ?? 1, status: search.status, search: search.search };
  const uploads = useQuery(uploadsQuery(view, live));
  useClampedPage(view.page, uploads.data, change);

  const writeMissing = useMissingPermission("write:uploads");
  const { retry, cancel, remove } = useUploadActions();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const closeDialog = useCallback(() => setDialog(null), []);

  const changeSearch = useCallback(
    (text: string) => change({ search: text || undefined, page: undefined }, true),
    [change],
  );
  const isFiltered = view.status !== undefined || view.search !== undefined;
  const { data } = uploads;

  return (
    <Page
      title="Upload Monitor"
      fullWidth
      actions={
        <>
          <LiveToggle
            state={liveState}
            live={live}
            onToggle={() => change({ live: live ? "paused" : undefined }, true)}
          />
          <Button
            kind="primary"
            icon={<Plus />}
            disabledReason={writeMissing}
            onClick={() => change({ archive: "new" })}
          >
            New archive
          </Button>
        </>
      }
    >
      <Toolbar>
        <SearchField
          placeholder="Search uploads by filename, user, or title..."
          value={search.search ?? ""}
          onChange={changeSearch}
        />
        <Select
          label="Status"
          value={search.status ?? "all"}
          options={STATUS_OPTIONS}
          onChange={(status) =>
            change({ status: status === "all" ? undefined : status, page: undefined })
          }
        />
        <IconButton
          kind="secondary"
          label="Refresh"
          aria-keyshortcuts="r"
          data-shortcut="refresh"
          busy={uploads.isFetching && !live}
          onClick={() => void uploads.refetch()}
        >
          <RefreshCw />
        </IconButton>
      </Toolbar>
      {search.upload !== undefined && data?.items.every((item) => item.id !== search.upload) && (
        <LinkedUpload
          id={uploadIdSchema.safeParse(search.upload).data}
          onClose={() => change({ upload: undefined })}
        />
      )}
      <Card flush>
        {uploads.isError && data === undefined ? (
          <ErrorState
            title="Failed to load uploads"
            message={messageOf(uploads.error)}
            retrying={uploads.isFetching}
            onRetry={() => void uploads.refetch()}
          />
        ) : data?.items.length === 0 ? (
          <EmptyState
            icon={<CloudDownload />}
            title="No uploads found"
            hint={
              isFiltered
                ? "Try adjusting your search or filter"
                : "Nothing has been archived yet. Start with a VOD's address."
            }
            action={
              isFiltered ? (
                <Button
                  onClick={() => change({ search: undefined, status: undefined, page: undefined })}
                >
                  Clear filters
                </Button>
              ) : (
                <Button
                  icon={<Plus />}
                  disabledReason={writeMissing}
                  onClick={() => change({ archive: "new" })}
                >
                  New archive
                </Button>
              )
            }
          />
        ) : (
          <>
            <UploadsTable
              uploads={data?.items}
              scope={JSON.stringify(view)}
              busy={uploads.isPlaceholderData}
              openId={search.upload}
              onToggle={(upload) =>
                change({ upload: upload.id === search.upload ? undefined : upload.id }, true)
              }
              renderMenu={(upload) => (
                <UploadMenu
                  upload={upload}
                  onRetry={() => retry.mutate(upload.id)}
                  onCancel={() => cancel.mutate(upload.id)}
                  onDelete={() => setDialog({ kind: "delete", upload })}
                  onPlay={() => setDialog({ kind: "play", upload })}
                />
              )}
            />
            {data !== undefined && (
              <Pagination
                facts={data}
                onPage={(page) => change({ page: page === 1 ? undefined : page })}
              />
            )}
          </>
        )}
      </Card>
      {dialog?.kind === "delete" && (
        <DeleteUploadDialog
          upload={dialog.upload}
          question="Are you sure you want to delete this upload?"
          onConfirm={() => remove.mutateAsync(dialog.upload.id)}
          onClose={closeDialog}
        />
      )}
      <Suspense>
        {search.archive !== undefined && writeMissing === undefined && (
          <NewArchiveDialog
            initialText={search.archive === "new" ? "" : search.archive}
            onClose={() => change({ archive: undefined }, true)}
            onShowUpload={(upload) =>
              change({
                archive: undefined,
                upload,
                page: undefined,
                search: undefined,
                status: undefined,
              })
            }
          />
        )}
        {dialog?.kind === "play" && <PlaybackDialog upload={dialog.upload} onClose={closeDialog} />}
      </Suspense>
    </Page>
  );
}

/** Switches live updates off at once and says so after two seconds. */
function useLostStream(change: (next: Partial<UploadsSearch>, replace: boolean) => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    change({ live: "paused" }, true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => toast.error(LOST_TOAST), LOST_TOAST_AFTER_MS);
  }, [change]);
}

/** A page that no longer exists, after deletions or from an old address, leads to the last one. */
function useClampedPage(
  page: number,
  data: { readonly items: readonly unknown[]; readonly total: number; limit: number } | undefined,
  change: (next: Partial<UploadsSearch>, replace: boolean) => void,
) {
  const lastPage = data === undefined ? page : Math.max(1, Math.ceil(data.total / data.limit));
  const isBeyond = data !== undefined && data.items.length === 0 && page > lastPage;
  useEffect(() => {
    if (isBeyond) change({ page: lastPage === 1 ? undefined : lastPage }, true);
  }, [isBeyond, lastPage, change]);
}
