import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChartColumn, FolderOpen, RefreshCw } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { objectKeySchema, type StoredFile } from "#contract/files.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatPlural } from "#console/lib/format.ts";
import { useCan } from "#console/lib/session.ts";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { Page } from "#console/ui/page.tsx";
import { Pagination } from "#console/ui/pagination.tsx";
import type { SortOrder } from "#console/ui/table.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { DeleteFileDialog } from "./delete-file-dialog.tsx";
import { useDeleteFile } from "./file-actions.ts";
import { FileDetailsDialog } from "./file-details-dialog.tsx";
import { BROWSE_POLL_MS, fileStatsQuery, filesQuery } from "./file-queries.ts";
import { FilesStats } from "./files-stats.tsx";
import { FilesTable } from "./files-table.tsx";
import { FilesToolbar } from "./files-toolbar.tsx";
import {
  filtersOf,
  isFiltered,
  type FileFilters,
  type FilesSearch,
  type FileSort,
} from "./files-search.ts";
import { useSettledFilters } from "./settled-filters.ts";

const TITLE = "R2 File Browser";

const NO_FILTERS: Required<FileFilters> = {
  search: undefined,
  user: undefined,
  type: undefined,
  status: undefined,
};

const route = getRouteApi("/files");

export function FilesPage() {
  return useCan("read:uploads") ? (
    <FileBrowser />
  ) : (
    <Page title={TITLE}>
      <ForbiddenState permission="read:uploads" />
    </Page>
  );
}

function FileBrowser() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback(
    (next: Partial<FilesSearch>, replace = false) => {
      void navigate({ search: (before) => ({ ...before, ...next }), replace, resetScroll: false });
    },
    [navigate],
  );
  const settle = useCallback(
    (next: FileFilters) => change({ ...next, page: undefined }, true),
    [change],
  );
  const filters = useSettledFilters(filtersOf(search), settle);
  const clear = () => filters.change(NO_FILTERS);

  const page = search.page ?? 1;
  const sortBy = search.sort ?? "date";
  const sortOrder = search.order ?? "desc";
  const files = useQuery(
    filesQuery({
      page,
      search: search.search,
      userId: search.user,
      uploadType: search.type,
      status: search.status,
      sortBy,
      sortOrder,
    }),
  );
  const statsShown = search.stats !== "hidden";
  const stats = useQuery(fileStatsQuery(statsShown));
  const { data } = files;
  const lastPage = Math.max(1, data?.pagination.totalPages ?? page);
  const isBeyond = data !== undefined && data.files.length === 0 && page > lastPage;
  useEffect(() => {
    if (isBeyond) change({ page: lastPage === 1 ? undefined : lastPage }, true);
  }, [isBeyond, lastPage, change]);

  function sort(by: FileSort, order: SortOrder) {
    change({
      sort: by === "date" ? undefined : by,
      order: order === "desc" ? undefined : order,
      page: undefined,
    });
  }

  const remove = useDeleteFile();
  const [doomed, setDoomed] = useState<StoredFile | null>(null);
  const closeDetails = useCallback(() => change({ file: undefined }, true), [change]);

  return (
    <Page
      title={TITLE}
      actions={
        <>
          {data !== undefined && (
            <StaleMark
              updatedAtMs={files.dataUpdatedAt}
              failing={files.isError}
              intervalMs={BROWSE_POLL_MS}
            />
          )}
          <Button
            icon={<ChartColumn />}
            onClick={() => change({ stats: statsShown ? "hidden" : undefined }, true)}
          >
            {statsShown ? "Hide Stats" : "Show Stats"}
          </Button>
          <Button
            icon={<RefreshCw />}
            aria-keyshortcuts="r"
            data-shortcut="refresh"
            busy={files.isFetching}
            onClick={() => {
              void files.refetch();
              if (statsShown) void stats.refetch();
            }}
          >
            Refresh
          </Button>
        </>
      }
    >
      {statsShown && (
        <FilesStats
          stats={stats.data}
          failed={stats.isError}
          matching={isFiltered(filtersOf(search)) ? data : undefined}
        />
      )}
      <FilesToolbar
        filters={filters.shown}
        onFilters={filters.change}
        onClear={clear}
        sortBy={sortBy}
        sortOrder={sortOrder}
        onSort={sort}
      />
      <VisuallyHidden>
        <span role="status">
          {data !== undefined &&
            `${formatPlural(data.pagination.total, "file")}, ${data.summary.totalSizeFormatted}`}
        </span>
      </VisuallyHidden>
      <Card flush>
        {files.isError && data === undefined ? (
          <ErrorState
            title="Error Loading Files"
            message="Failed to load R2 file browser"
            detail={messageOf(files.error)}
            retrying={files.isFetching}
            onRetry={() => void files.refetch()}
          />
        ) : data?.files.length === 0 ? (
          <EmptyState
            icon={<FolderOpen />}
            title="No files found"
            hint={
              isFiltered(filters.shown)
                ? "Try adjusting your search criteria"
                : "No files are currently stored in R2"
            }
            action={isFiltered(filters.shown) && <Button onClick={clear}>Clear filters</Button>}
          />
        ) : (
          <>
            <FilesTable
              files={data?.files}
              busy={files.isPlaceholderData}
              sortBy={sortBy}
              sortOrder={sortOrder}
              onSort={sort}
              deleting={remove.isPending}
              onDetails={(file) => change({ file: objectKeySchema.parse(file.key) })}
              onDelete={setDoomed}
            />
            {data !== undefined && data.pagination.totalPages > 1 && (
              <Pagination
                facts={data.pagination}
                onPage={(next) => change({ page: next === 1 ? undefined : next })}
              />
            )}
          </>
        )}
      </Card>
      {search.file !== undefined && (
        <FileDetailsDialog
          fileKey={search.file}
          listed={data?.files.find((file) => file.key === search.file)}
          deleting={remove.isPending}
          onDelete={setDoomed}
          onClose={closeDetails}
        />
      )}
      {doomed !== null && (
        <DeleteFileDialog
          file={doomed}
          onConfirm={async () => {
            await remove.mutateAsync(doomed.key);
            if (search.file === doomed.key) closeDetails();
          }}
          onClose={() => setDoomed(null)}
        />
      )}
    </Page>
  );
}
