import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useCallback, useState } from "react";
import type { UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/upload.ts";
import { LINKED_PAGES } from "#contract/pages.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { reportOf, type BulkOutcome, type BulkReport } from "#console/lib/bulk-run.ts";
import { formatPlural } from "#console/lib/format.ts";
import { useListAddress, useRowsOfPage } from "#console/lib/list-address.ts";
import { usePolling } from "#console/lib/polling.ts";
import { lazyDialog } from "#console/ui/dialog.tsx";
import { BulkFailures } from "#console/ui/list/bulk-failures.tsx";
import { buttonClassName } from "#console/ui/button.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { FilterBar } from "#console/ui/list/filter-bar.tsx";
import { EmptyList, ListCard } from "#console/ui/list/list-card.tsx";
import { Page } from "#console/ui/page.tsx";
import { PermissionGate } from "#console/ui/permission-gate.tsx";
import { SelectPageBox } from "#console/ui/list/select-page-box.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { ListTools } from "#console/features/views/list-tools.tsx";
import { DeleteFailedDialog } from "./delete-failed-dialog.tsx";
import { useFailedBulkActions } from "./failed-bulk-actions.ts";
import { FailedRow } from "./failed-row.tsx";
import { FailedSelectionBar } from "./failed-selection-bar.tsx";
import { FailedStats } from "./failed-stats.tsx";
import { FailedTable } from "./failed-table.tsx";
import { FailureGroups, FailureGroupsPlaceholder } from "./failure-groups.tsx";
import { useUploadActions } from "./upload-actions.ts";
import { FAILED_POLL_MS, failedUploadsQuery } from "./upload-queries.ts";
import type { FailedSearch } from "./uploads-search.ts";
import { retryableIds, useFailedSelection } from "./use-failed-selection.ts";

const DeleteUploadDialog = lazyDialog(
  async () => (await import("./delete-upload-dialog.tsx")).DeleteUploadDialog,
);

const TITLE = "Failed Uploads";
const FAILURE = "Failed to load data";

/** File Details and Actions always show. */
const HIDEABLE = { error: "Error", retries: "Retries", failedAt: "Failed At" };

const route = getRouteApi("/uploads/failed");

export function FailedUploadsPage() {
  return (
    <PermissionGate permission={LINKED_PAGES["/uploads/failed"]} title={TITLE}>
      <FailedUploads />
    </PermissionGate>
  );
}

type OpenDialog =
  | { readonly kind: "delete"; readonly upload: Upload }
  | { readonly kind: "delete-selected" };

function FailedUploads() {
  const search = route.useSearch();
  const { change, filter, searchFor, goTo, turn } = useListAddress<FailedSearch>(
    route.useNavigate(),
  );
  const page = search.page ?? 1;
  const matching = { search: search.search, failureClass: search.cause };
  const failed = useQuery(failedUploadsQuery({ page, ...matching }));
  usePolling(failed, FAILED_POLL_MS);
  const { data } = failed;
  const isFiltered = search.search !== undefined || search.cause !== undefined;
  const items = useRowsOfPage(
    page,
    data,
    data?.items,
    goTo,
    failed.isPlaceholderData && !isFiltered,
  );

  const { selection, ...selected } = useFailedSelection(items ?? [], matching);
  const { progress, stop, retryAll, deleteAll } = useFailedBulkActions();
  const { retry, remove } = useUploadActions();
  const [report, setReport] = useState<BulkReport | null>(null);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const closeDialog = useCallback(() => setDialog(null), []);

  async function retryRow(id: UploadId) {
    try {
      await retry.mutateAsync(id);
      selected.drop(id);
    } catch {
      // Already reported by a toast.
    }
  }
  function settle(verb: string, outcome: BulkOutcome<UploadId>) {
    selected.keep(outcome.left);
    setReport(
      reportOf(
        outcome,
        `${formatPlural(outcome.failures.size, "upload")} could not be ${verb}`,
        (id) => selection.get(id)?.name ?? id,
      ),
    );
  }

  if (failed.isError && data === undefined) {
    return (
      <Page title={TITLE}>
        <ErrorState
          title={FAILURE}
          message={messageOf(failed.error)}
          retrying={failed.isFetching}
          onRetry={() => void failed.refetch()}
        />
      </Page>
    );
  }

  return (
    <Page title={TITLE} actions={<StaleMark query={failed} intervalMs={FAILED_POLL_MS} />}>
      <FailedStats summary={data?.summary} />
      {data === undefined && <FailureGroupsPlaceholder />}
      {data !== undefined && data.groups.length > 0 && (
        <FailureGroups
          groups={data.groups}
          chosen={search.cause}
          onChoose={(cause) => filter({ cause })}
        />
      )}
      <FilterBar
        search={{
          placeholder: "Search failed uploads by filename, user, or error message...",
          value: search.search ?? "",
          onChange: searchFor,
        }}
        refreshing={failed.isFetching}
        onRefresh={() => void failed.refetch()}
        tools={
          <ListTools
            screen="/uploads/failed"
            columns={HIDEABLE}
            current={{ cause: search.cause, search: search.search, hide: search.hide }}
            onHide={(hide) => change({ hide }, true)}
          />
        }
      />
      <ListCard
        query={failed}
        facts={data}
        isEmpty={items?.length === 0}
        failure={{ title: FAILURE }}
        before={
          <>
            <FailedSelectionBar
              selection={selection}
              total={data?.total ?? 0}
              totalIsCapped={data?.totalIsCapped}
              isPageSelected={selected.isPageSelected}
              selectingAll={selected.selectingAll}
              progress={progress}
              onSelectPage={() => selected.selectPage(true)}
              onSelectAll={() => void selected.selectAllMatching()}
              onClear={selected.clear}
              onStop={stop}
              onRetry={() => {
                void retryAll(retryableIds(selection)).then((outcome) =>
                  settle("retried", outcome),
                );
              }}
              onDelete={() => setDialog({ kind: "delete-selected" })}
            />
            {report !== null && <BulkFailures {...report} onDismiss={() => setReport(null)} />}
          </>
        }
        empty={
          <EmptyList
            icon={<CircleCheck />}
            title="No failed uploads"
            filteredHint="Nothing matches your search or cause."
            onClear={isFiltered ? () => filter({ search: undefined, cause: undefined }) : undefined}
            firstHint="Every upload is completed, running or waiting its turn."
            firstStep={
              <Link to="/uploads" className={buttonClassName("secondary")}>
                Watch the uploads
              </Link>
            }
          />
        }
        hide={search.hide}
        page={page}
        onTurn={turn}
      >
        <FailedTable
          uploads={items}
          busy={failed.isPlaceholderData}
          selectAllBox={<SelectPageBox selected={selected} disabled={items === undefined} />}
          renderRow={(upload) => (
            <FailedRow
              key={upload.id}
              upload={upload}
              selected={selection.has(upload.id)}
              busy={retry.isPending && retry.variables === upload.id}
              onSelect={(isSelected, shiftKey) => selected.selectRow(upload, isSelected, shiftKey)}
              onRetry={() => void retryRow(upload.id)}
              onDelete={() => setDialog({ kind: "delete", upload })}
            />
          )}
        />
      </ListCard>
      {dialog?.kind === "delete" && (
        <DeleteUploadDialog
          upload={dialog.upload}
          question="Are you sure you want to delete this failed upload?"
          onConfirm={async (file) => {
            await remove.mutateAsync({ id: dialog.upload.id, ifStatus: "failed", file });
            selected.drop(dialog.upload.id);
          }}
          onClose={closeDialog}
        />
      )}
      {dialog?.kind === "delete-selected" && (
        <DeleteFailedDialog
          selection={selection}
          onConfirm={(file) => {
            void deleteAll([...selection.keys()], file).then((outcome) =>
              settle("deleted", outcome),
            );
          }}
          onClose={closeDialog}
        />
      )}
    </Page>
  );
}
