import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChartColumn, Eraser, LayoutGrid, LayoutList, RefreshCw } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { browseFiles, type StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { DEFAULT_BROWSE_PAGE_SIZE } from "#contract/limits.ts";
import { fileStatsQuery, STATS_POLL_MS } from "#console/domain/files/file-stats-query.ts";
import { fileTitleOf } from "#console/domain/files/file-words.ts";
import { ArchiveLink } from "#console/domain/uploads/archive-link.tsx";
import { messageOf } from "#console/lib/api-error.ts";
import { pageQuery } from "#console/lib/call-query.ts";
import { storageKind } from "#console/lib/deployment.ts";
import { usePolling } from "#console/lib/polling.ts";
import { refresh } from "#console/lib/query-client.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { useList } from "#console/lib/use-list.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { DataTable } from "#console/ui/list/data-table.tsx";
import { ListCard } from "#console/ui/list/list-card.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { useFileActions } from "./file-items.tsx";
import { useDeleteFile } from "./file-deletion.ts";
import { fileColumns } from "./file-columns.tsx";
import { FileSelectionBar } from "./file-selection-bar.tsx";
import {
  FILE_FILTERS,
  layoutOf,
  matchingOf,
  rememberLayout,
  type FilesSearch,
} from "./files-search.ts";
import { FilesStats } from "./files-stats.tsx";
import { FilesToolbar } from "./files-toolbar.tsx";
import styles from "./files-table.module.css";
import { FileDetailsDialog, MakeRoomDialog, TrashBanner } from "./lazy-parts.ts";
import { useFileSelection } from "./use-file-selection.ts";

/** docs/console.md#intervals */
const BROWSE_POLL_MS = 30_000;

/** docs/console.md#pages */
const SETTLE_MS = 300;

const route = getRouteApi("/files");

function listQuery(search: FilesSearch) {
  const { page = 1, sort = "date", order = "desc" } = search;
  return pageQuery(
    browseFiles,
    { page, ...matchingOf(search), sortBy: sort, sortOrder: order },
    DEFAULT_BROWSE_PAGE_SIZE,
  );
}

function prefetchFiles({ queryClient, search }: ScreenOpening<FilesSearch>) {
  return Promise.all([
    queryClient.prefetchQuery(listQuery(search)),
    search.stats !== "hidden" && queryClient.prefetchQuery(fileStatsQuery(true)),
  ]);
}

function FilesPage({ title }: ScreenProps) {
  const search = route.useSearch();
  const matching = matchingOf(search);
  const files = useQuery(listQuery(search));
  const { data } = files;
  const kind = storageKind();
  const statsShown = search.stats !== "hidden";
  const stats = useQuery(fileStatsQuery(statsShown));
  usePolling(stats, statsShown && STATS_POLL_MS);
  usePolling(files, BROWSE_POLL_MS);
  const list = useList({
    search,
    navigate: route.useNavigate(),
    query: files,
    data: data && { ...data.pagination, items: data.files },
    filters: FILE_FILTERS,
    settleMs: SETTLE_MS,
    defaultSort: "date",
    dialog: search.room === undefined ? "file" : "room",
  });
  const { change, filter, shown } = list;
  const isTrash = FILE_FILTERS.every((name) => (search[name] === undefined) === (name !== "trash"));
  const isMatching = FILE_FILTERS.some((name) => search[name] !== undefined);

  const selected = useFileSelection(list.rows ?? [], matching);
  const remove = useDeleteFile();
  const [fileToDelete, setFileToDelete] = useState<StoredFile | null>(null);
  const openDetails = useCallback(({ key }: StoredFile) => change({ file: key }), [change]);
  const actionsOf = useFileActions({
    deleting: remove.isPending,
    onDetails: openDetails,
    onDelete: setFileToDelete,
  });
  const columns = useMemo(() => fileColumns(actionsOf), [actionsOf]);

  return (
    <Page
      title={title}
      subtitle={kind && `Stored in ${kind}`}
      actions={
        <>
          <StaleMark query={files} intervalMs={BROWSE_POLL_MS} />
          <LayoutToggle
            chosen={layoutOf(search)}
            onChange={(layout) => {
              rememberLayout(layout);
              change({ layout, page: undefined });
            }}
          />
          <Button icon={<Eraser />} onClick={() => change({ room: "make" })}>
            Make room
          </Button>
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
              refresh(files);
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
      <FilesToolbar list={list} filters={shown} onFilters={filter} />
      {isTrash && data !== undefined && data.pagination.total > 0 && (
        <TrashBanner summary={data.summary} />
      )}
      <ListCard
        list={list}
        before={
          <FileSelectionBar
            list={list}
            hiddenChunks={data?.hiddenChunks ?? 0}
            onShowChunks={() => filter({ type: "chunk" })}
            selected={selected}
            isTrash={search.trash === "only"}
          />
        }
        failure={{ title: "Error Loading Files", message: "Failed to load R2 file browser" }}
        empty={{
          title: isTrash ? "The trash is empty" : "No files found",
          filteredHint: isTrash
            ? "What retention removes stays here for 14 days"
            : "Try adjusting your search criteria",
          firstHint: "No files are currently stored in R2",
          firstStep: <ArchiveLink />,
        }}
        pagination="beyond-one-page"
      >
        <DataTable
          list={list}
          caption="Stored files"
          columns={columns}
          idOf={({ key }) => key}
          skeletonRows={15}
          selected={selected}
          nameOf={fileTitleOf}
          cards={layoutOf(search) === "gallery"}
        />
      </ListCard>
      {search.room !== undefined && <MakeRoomDialog onClose={list.closeDialog} />}
      {search.file !== undefined && (
        <FileDetailsDialog
          fileKey={search.file}
          listed={data?.files.find((file) => file.key === search.file)}
          deleting={remove.isPending}
          onDelete={setFileToDelete}
          onClose={list.closeDialog}
        />
      )}
      {fileToDelete !== null && (
        <ConfirmDialog
          title="Delete file"
          question={`Are you sure you want to delete "${fileTitleOf(fileToDelete)}"? This action cannot be undone.`}
          confirmLabel="Delete file"
          danger
          onConfirm={async () => {
            await remove.mutateAsync(fileToDelete.key);
            selected.drop(fileToDelete.key);
            if (search.file === fileToDelete.key) list.closeDialog();
          }}
          onClose={() => setFileToDelete(null)}
          describeError={(error) => messageOf(error, "Failed to delete file")}
        >
          <DialogSubject
            name={`${formatBytes(fileToDelete.size)} of ${visibleText(fileToDelete.username ?? "an unknown user")}`}
            detail={visibleText(fileToDelete.key)}
          />
        </ConfirmDialog>
      )}
    </Page>
  );
}

const LAYOUTS = [
  ["list", "List", LayoutList],
  ["gallery", "Gallery", LayoutGrid],
] as const;

function LayoutToggle({
  chosen,
  onChange,
}: {
  readonly chosen: "list" | "gallery";
  readonly onChange: (layout: "list" | "gallery") => void;
}) {
  return (
    <span role="group" aria-label="Layout" className={styles.layouts}>
      {LAYOUTS.map(([layout, label, Icon]) => (
        <IconButton
          key={layout}
          kind="secondary"
          label={label}
          aria-pressed={layout === chosen}
          onClick={() => onChange(layout)}
        >
          <Icon />
        </IconButton>
      ))}
    </span>
  );
}

export { FilesPage as Screen, prefetchFiles as prefetch };
