import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChartColumn, FolderOpen, RefreshCw } from "lucide-react";
import { useCallback, useState } from "react";
import { objectKeySchema, type StoredFile } from "#contract/files.ts";
import { LINKED_PAGES } from "#contract/pages.ts";
import { useListAddress, useRowsOfPage } from "#console/lib/list-address.ts";
import { usePolling } from "#console/lib/polling.ts";
import { Button, buttonClassName } from "#console/ui/button.tsx";
import { lazyDialog } from "#console/ui/dialog.tsx";
import { EmptyList, ListCard } from "#console/ui/list/list-card.tsx";
import { Page } from "#console/ui/page.tsx";
import { PermissionGate } from "#console/ui/permission-gate.tsx";
import type { SortOrder } from "#console/ui/list/table.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { DeleteFileDialog } from "./delete-file-dialog.tsx";
import { useDeleteFile } from "./file-actions.ts";
import { FileSelectionBar } from "./file-selection-bar.tsx";
import { BROWSE_POLL_MS, fileStatsQuery, filesQuery, STATS_POLL_MS } from "./file-queries.ts";
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
import { useFileSelection } from "./use-file-selection.ts";

const FileDetailsDialog = lazyDialog(
  async () => (await import("./file-details-dialog.tsx")).FileDetailsDialog,
);

const TITLE = "R2 File Browser";

const NO_FILTERS: Required<FileFilters> = {
  search: undefined,
  user: undefined,
  type: undefined,
  status: undefined,
};

const route = getRouteApi("/files");

export function FilesPage() {
  return (
    <PermissionGate permission={LINKED_PAGES["/files"]} title={TITLE}>
      <FileBrowser />
    </PermissionGate>
  );
}

function FileBrowser() {
  const search = route.useSearch();
  const { change, filter, goTo, turn } = useListAddress<FilesSearch>(route.useNavigate());
  const settle = useCallback((next: FileFilters) => filter(next, true), [filter]);
  const filters = useSettledFilters(filtersOf(search), settle);
  const clear = () => filters.change(NO_FILTERS);

  const page = search.page ?? 1;
  const sortBy = search.sort ?? "date";
  const sortOrder = search.order ?? "desc";
  const matching = {
    search: search.search,
    userId: search.user,
    uploadType: search.type,
    status: search.status,
  };
  const files = useQuery(filesQuery({ page, ...matching, sortBy, sortOrder }));
  const statsShown = search.stats !== "hidden";
  const stats = useQuery(fileStatsQuery(statsShown));
  usePolling(files, BROWSE_POLL_MS);
  usePolling(stats, statsShown && STATS_POLL_MS);
  const { data } = files;
  const isMatching = isFiltered(filtersOf(search));
  const items = useRowsOfPage(
    page,
    data?.pagination,
    data?.files,
    goTo,
    files.isPlaceholderData && !isMatching,
  );

  function sort(by: FileSort, order: SortOrder) {
    filter({
      sort: by === "date" ? undefined : by,
      order: order === "desc" ? undefined : order,
    });
  }

  const selected = useFileSelection(items ?? [], matching);
  const remove = useDeleteFile();
  const [doomed, setDoomed] = useState<StoredFile | null>(null);
  const closeDetails = useCallback(() => change({ file: undefined }, true), [change]);

  return (
    <Page
      title={TITLE}
      actions={
        <>
          <StaleMark query={files} intervalMs={BROWSE_POLL_MS} />
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
          matching={isMatching ? data : undefined}
        />
      )}
      <FilesToolbar
        filters={filters.shown}
        onFilters={filters.change}
        onClear={clear}
        sortBy={sortBy}
        sortOrder={sortOrder}
        onSort={sort}
        hide={search.hide}
        onHide={(hide) => change({ hide }, true)}
      />
      <ListCard
        query={files}
        facts={data?.pagination}
        isEmpty={items?.length === 0}
        before={<FileSelectionBar selected={selected} facts={data?.pagination} />}
        failure={{ title: "Error Loading Files", message: "Failed to load R2 file browser" }}
        empty={
          <EmptyList
            icon={<FolderOpen />}
            title="No files found"
            filteredHint="Try adjusting your search criteria"
            onClear={isMatching || isFiltered(filters.shown) ? clear : undefined}
            firstHint="No files are currently stored in R2"
            firstStep={
              <Link
                to="/uploads"
                search={{ archive: "new" }}
                className={buttonClassName("primary")}
              >
                Archive a VOD
              </Link>
            }
          />
        }
        pagination="beyond-one-page"
        hide={search.hide}
        page={page}
        onTurn={turn}
      >
        <FilesTable
          files={items}
          busy={files.isPlaceholderData}
          sortBy={sortBy}
          sortOrder={sortOrder}
          onSort={sort}
          deleting={remove.isPending}
          selected={selected}
          onDetails={(file) => change({ file: objectKeySchema.parse(file.key) })}
          onDelete={setDoomed}
        />
      </ListCard>
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
            selected.drop(objectKeySchema.parse(doomed.key));
            if (search.file === doomed.key) closeDetails();
          }}
          onClose={() => setDoomed(null)}
        />
      )}
    </Page>
  );
}
