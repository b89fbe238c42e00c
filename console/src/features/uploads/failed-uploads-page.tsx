import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CircleCheck, RefreshCw, RotateCw, ShieldAlert, TriangleAlert } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import type { UploadId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { matchingUploadIds, type Upload } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatCount } from "#console/lib/format.ts";
import { useCan } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { Page } from "#console/ui/page.tsx";
import { Pagination } from "#console/ui/pagination.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { StatCard, StatGrid } from "#console/ui/stat-card.tsx";
import { SkeletonRows, Table, type Column } from "#console/ui/table.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { Toolbar } from "#console/ui/toolbar.tsx";
import { DeleteUploadDialog } from "./delete-upload-dialog.tsx";
import { useBulkActions } from "./failed-bulk-actions.ts";
import { FailedBulkBar } from "./failed-bulk-bar.tsx";
import { FailedRow } from "./failed-row.tsx";
import {
  EMPTY_SELECTION,
  keepOnly,
  rangeBetween,
  retryableIds,
  selectAll,
  selectUploads,
} from "./failed-selection.ts";
import { FailureGroups, FailureGroupsPlaceholder } from "./failure-groups.tsx";
import { useUploadActions } from "./upload-actions.ts";
import { failedUploadsQuery } from "./upload-queries.ts";
import type { FailedSearch } from "./uploads-search.ts";

const route = getRouteApi("/uploads/failed");

export function FailedUploadsPage() {
  return useCan("read:uploads") ? (
    <FailedUploads />
  ) : (
    <Page title="Failed Uploads">
      <ForbiddenState permission="read:uploads" />
    </Page>
  );
}

type OpenDialog =
  | { readonly kind: "delete"; readonly upload: Upload }
  | { readonly kind: "delete-selected" };

function FailedUploads() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [selection, setSelection] = useState(EMPTY_SELECTION);
  const [selectingAll, setSelectingAll] = useState(false);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const closeDialog = useCallback(() => setDialog(null), []);
  const anchor = useRef<UploadId | null>(null);

  const filter = { search: search.search, failureClass: search.cause };
  const view = { page: search.page ?? 1, ...filter };
  const failed = useQuery(failedUploadsQuery(view));
  const { retry, remove } = useUploadActions();
  const { progress, retryAll, deleteAll } = useBulkActions();
  const { data } = failed;

  const change = useCallback(
    (next: Partial<FailedSearch>, replace = false) => {
      void navigate({ search: (before) => ({ ...before, ...next }), replace, resetScroll: false });
    },
    [navigate],
  );
  /** Another filter is another list: what was selected in the old one is let go. */
  const changeFilter = useCallback(
    (next: Partial<FailedSearch>, replace = false) => {
      setSelection(EMPTY_SELECTION);
      change({ ...next, page: undefined }, replace);
    },
    [change],
  );
  const changeSearch = useCallback(
    (text: string) => changeFilter({ search: text || undefined }, true),
    [changeFilter],
  );

  async function selectAllMatching() {
    setSelectingAll(true);
    try {
      const { items, totalIsCapped } = await call(matchingUploadIds, { query: filter });
      setSelection(selectAll(items));
      if (totalIsCapped) {
        toast.info(`Selected the first ${formatCount(items.length)} uploads`);
      }
    } catch (error) {
      toast.error(messageOf(error));
    } finally {
      setSelectingAll(false);
    }
  }
  function selectRow(upload: Upload, selected: boolean, shiftKey: boolean) {
    const rows = shiftKey ? rangeBetween(data?.items ?? [], anchor.current, upload.id) : [upload];
    anchor.current = upload.id;
    setSelection((before) => selectUploads(before, rows, selected));
  }
  async function retrySelected() {
    const ids = retryableIds(selection);
    if (ids.length === 0) return;
    const refused = await retryAll(ids);
    setSelection((before) => keepOnly(before, refused));
  }
  async function deleteSelected() {
    const refused = await deleteAll([...selection.keys()]);
    setSelection((before) => keepOnly(before, refused));
  }

  if (failed.isError && data === undefined) {
    return (
      <Page title="Failed Uploads">
        <ErrorState
          title="Failed to load data"
          message={messageOf(failed.error)}
          retrying={failed.isFetching}
          onRetry={() => void failed.refetch()}
        />
      </Page>
    );
  }
  const items = data?.items ?? [];
  const selectedHere = items.filter((upload) => selection.has(upload.id)).length;
  const columns = columnsWith(
    <Checkbox
      label="Select all on this page"
      labelHidden
      checked={items.length > 0 && selectedHere === items.length}
      indeterminate={selectedHere > 0 && selectedHere < items.length}
      disabled={items.length === 0}
      onChange={(selected) => setSelection((before) => selectUploads(before, items, selected))}
    />,
  );
  const isFiltered = filter.search !== undefined || filter.failureClass !== undefined;
  const summary = data?.summary;

  return (
    <Page title="Failed Uploads">
      <StatGrid>
        <StatCard
          label="Total Failed"
          value={summary === undefined ? null : formatCount(summary.totalFailed)}
          icon={<TriangleAlert aria-hidden="true" />}
        />
        <StatCard
          label="Can Retry"
          value={summary === undefined ? null : formatCount(summary.canRetry)}
          icon={<RotateCw aria-hidden="true" />}
        />
        <StatCard
          label="Max Retries"
          value={summary === undefined ? null : formatCount(summary.maxRetriesReached)}
          icon={<ShieldAlert aria-hidden="true" />}
        />
      </StatGrid>
      {data === undefined && <FailureGroupsPlaceholder />}
      {data !== undefined && data.groups.length > 0 && (
        <FailureGroups
          groups={data.groups}
          chosen={search.cause}
          onChoose={(cause) => changeFilter({ cause })}
        />
      )}
      <Toolbar>
        <SearchField
          placeholder="Search failed uploads by filename, user, or error message..."
          value={search.search ?? ""}
          onChange={changeSearch}
        />
        <IconButton
          kind="secondary"
          label="Refresh"
          aria-keyshortcuts="r"
          data-shortcut="refresh"
          busy={failed.isFetching}
          onClick={() => void failed.refetch()}
        >
          <RefreshCw />
        </IconButton>
      </Toolbar>
      <Card flush>
        <FailedBulkBar
          selection={selection}
          total={data?.total ?? 0}
          totalIsCapped={data?.totalIsCapped}
          progress={progress}
          selectingAll={selectingAll}
          pageIsSelected={selectedHere === items.length}
          onSelectPage={() => setSelection((before) => selectUploads(before, items, true))}
          onSelectAll={() => void selectAllMatching()}
          onClear={() => setSelection(EMPTY_SELECTION)}
          onRetry={() => void retrySelected()}
          onDelete={() => setDialog({ kind: "delete-selected" })}
        />
        {data !== undefined && items.length === 0 ? (
          <EmptyState
            icon={<CircleCheck />}
            title="No failed uploads"
            hint={
              isFiltered
                ? "Nothing matches your search or cause."
                : "Every upload is completed, running or waiting its turn."
            }
            action={
              isFiltered && (
                <Button onClick={() => changeFilter({ search: undefined, cause: undefined })}>
                  Clear filters
                </Button>
              )
            }
          />
        ) : (
          <>
            <Table
              caption="Failed uploads"
              columns={columns}
              busy={failed.isPlaceholderData}
              stacked
            >
              {data === undefined ? (
                <SkeletonRows rows={DEFAULT_PAGE_SIZE / 2} columns={columns.length} />
              ) : (
                items.map((upload) => (
                  <FailedRow
                    key={upload.id}
                    upload={upload}
                    selected={selection.has(upload.id)}
                    busy={retry.isPending && retry.variables === upload.id}
                    onSelect={(selected, shiftKey) => selectRow(upload, selected, shiftKey)}
                    onRetry={() => retry.mutate(upload.id)}
                    onDelete={() => setDialog({ kind: "delete", upload })}
                  />
                ))
              )}
            </Table>
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
          question="Are you sure you want to delete this failed upload?"
          onConfirm={async () => {
            await remove.mutateAsync(dialog.upload.id);
            setSelection((before) => selectUploads(before, [dialog.upload], false));
          }}
          onClose={closeDialog}
        />
      )}
      {dialog?.kind === "delete-selected" && (
        <ConfirmDialog
          title="Delete failed uploads"
          question={`Are you sure you want to delete ${selection.size} failed uploads?`}
          confirmLabel="Delete uploads"
          danger
          onConfirm={() => void deleteSelected()}
          onClose={closeDialog}
        >
          <SelectedNames
            names={items
              .filter((upload) => selection.has(upload.id))
              .map((upload) => upload.filename)}
            total={selection.size}
          />
        </ConfirmDialog>
      )}
    </Page>
  );
}

const NAMES_SHOWN = 5;

function SelectedNames({
  names,
  total,
}: {
  readonly names: readonly string[];
  readonly total: number;
}) {
  const shown = names.slice(0, NAMES_SHOWN);
  const rest = total - shown.length;
  return (
    <DialogSubject
      name={shown.map((name) => visibleText(name)).join(", ") || "Uploads of other pages"}
      detail={rest > 0 && shown.length > 0 ? `and ${formatCount(rest)} more` : undefined}
    />
  );
}

function columnsWith(selectAllBox: Column["header"]): readonly Column[] {
  return [
    { id: "select", header: selectAllBox },
    { id: "file", header: "File Details" },
    { id: "error", header: "Error" },
    { id: "retries", header: "Retries" },
    { id: "failedAt", header: "Failed At" },
    { id: "actions", header: "Actions" },
  ];
}
