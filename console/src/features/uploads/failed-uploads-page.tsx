import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import type { Upload } from "#contract/upload.ts";
import { listFailedUploads } from "#contract/uploads.ts";
import { FAILED_POLL_MS } from "#console/domain/uploads/upload-queries.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { pageQuery } from "#console/lib/call-query.ts";
import { usePolling } from "#console/lib/polling.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { useList } from "#console/lib/use-list.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { buttonClassName } from "#console/ui/button.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { DataTable } from "#console/ui/list/data-table.tsx";
import { ListCard } from "#console/ui/list/list-card.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { ListBar } from "#console/domain/list-bar.tsx";
import { failedColumns } from "./failed-columns.tsx";
import { FailedSelectionBar } from "./failed-selection-bar.tsx";
import { FailedSummary } from "./failed-summary.tsx";
import { DeleteUploadDialog, UploadDrawer } from "./lazy-parts.tsx";
import { useRetryUpload } from "./upload-actions.ts";
import { useUploadActions } from "./upload-items.tsx";
import type { FailedSearch } from "./uploads-search.ts";
import { useFailedSelection } from "./use-failed-selection.ts";

const FAILURE = "Failed to load data";

const route = getRouteApi("/uploads/failed");

function matchingOf({ search, cause }: FailedSearch) {
  return { search, failureClass: cause };
}

function listQuery(search: FailedSearch) {
  return pageQuery(listFailedUploads, { page: search.page ?? 1, ...matchingOf(search) });
}

function prefetchFailedUploads({ queryClient, search }: ScreenOpening<FailedSearch>) {
  return queryClient.prefetchQuery(listQuery(search));
}

function FailedUploadsPage({ title }: ScreenProps) {
  const search = route.useSearch();
  const matching = matchingOf(search);
  const failed = useQuery(listQuery(search));
  const { data } = failed;
  usePolling(failed, FAILED_POLL_MS);
  const list = useList({
    search,
    navigate: route.useNavigate(),
    query: failed,
    data,
    filters: ["cause", "search"],
    dialog: "upload",
  });
  const selected = useFailedSelection(list.rows ?? [], matching);
  const retry = useRetryUpload();
  /** What the open dialog would delete. */
  const [deletion, setDeletion] = useState<Upload | null>(null);
  const actions = useUploadActions(({ kind, upload }) => kind === "delete" && setDeletion(upload));

  async function retryRow({ id }: Upload) {
    try {
      await retry.mutateAsync(id);
      selected.drop(id);
    } catch {
      // Already reported by a toast.
    }
  }
  if (failed.isError && data === undefined) {
    return (
      <Page title={title}>
        <ErrorState
          title={FAILURE}
          message={messageOf(failed.error)}
          retrying={failed.isFetching}
          onRetry={() => void failed.refetch()}
        />
      </Page>
    );
  }
  const columns = failedColumns((upload) => void retryRow(upload), actions);

  return (
    <Page title={title} actions={<StaleMark query={failed} intervalMs={FAILED_POLL_MS} />}>
      <ListBar
        list={list}
        placeholder="Search failed uploads by filename, user, or error message..."
      />
      <FailedSummary data={data} search={search} />
      <ListCard
        // The skeletons of causes and list do not move: they are replaced.
        key={String(data === undefined)}
        list={list}
        failure={{ title: FAILURE }}
        before={<FailedSelectionBar list={list} selected={selected} />}
        empty={{
          title: "No failed uploads",
          filteredHint: "Nothing matches this search and cause.",
          firstHint: "Every upload is completed, cancelled or in progress.",
          firstStep: (
            <Link to="/uploads" className={buttonClassName("secondary")}>
              Watch the uploads
            </Link>
          ),
        }}
      >
        <DataTable
          list={list}
          caption="Failed uploads"
          columns={columns}
          idOf={({ id }) => id}
          skeletonRows={DEFAULT_PAGE_SIZE / 2}
          selected={selected}
          nameOf={({ filename }) => visibleText(filename)}
        />
      </ListCard>
      {search.upload !== undefined && (
        <UploadDrawer
          key={search.upload}
          id={search.upload}
          rows={list.rows}
          act={search.act}
          onAct={(act) => list.change({ act }, true)}
          onClose={list.closeDialog}
        />
      )}
      {deletion !== null && (
        <DeleteUploadDialog
          upload={deletion}
          question="Are you sure you want to delete this failed upload?"
          ifStatus="failed"
          onDeleted={() => selected.drop(deletion.id)}
          onClose={() => setDeletion(null)}
        />
      )}
    </Page>
  );
}

export { FailedUploadsPage as Screen, prefetchFailedUploads as prefetch };
