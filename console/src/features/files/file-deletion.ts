import { useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";
import type { DataOf } from "#contract/call.ts";
import {
  browseFiles,
  bulkDeleteFiles,
  deleteFile,
  fileStats,
  type ObjectKey,
} from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { MAX_BULK_FILES } from "#contract/limits.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { startBulkRun, type BulkOutcome } from "#console/lib/bulk-run.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { deletableOf, type FileSelection } from "./use-file-selection.ts";

type FilePage = DataOf<typeof browseFiles>;

export function useDeleteFile() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (key: ObjectKey) => call(deleteFile, { params: { key } }),
    onSuccess: ({ key, size, refusal }) => {
      // Not with the next poll: the row must be gone when the dialog restores the focus.
      queryClient.setQueriesData<FilePage>(
        { queryKey: keyOf(browseFiles) },
        (page) => page && withoutFile(page, key),
      );
      if (refusal === undefined) toast.success(`File deleted: ${formatBytes(size)} freed`);
      else toast.error(`The store refuses to delete the file: ${refusal}`);
    },
    onError: () => toastError("Failed to delete file"),
    onSettled: () => refreshFiles(queryClient),
  });
}

/** Also lowers the total, so that an emptied last page leads to the one before (`useList`). */
function withoutFile(page: FilePage, key: string): FilePage {
  const files = page.files.filter((file) => file.key !== key);
  if (files.length === page.files.length) return page;
  const { pagination } = page;
  // A capped total does not change by one row.
  const total = pagination.total - (pagination.totalIsCapped === true ? 0 : 1);
  return { ...page, files, pagination: { ...pagination, total: Math.max(0, total) } };
}

/** Refreshes the list and its totals after a deletion. */
function refreshFiles(queryClient: QueryClient): void {
  showOwnChange();
  for (const which of [browseFiles, fileStats])
    void queryClient.invalidateQueries({ queryKey: keyOf(which) });
}

/** Deletes selected files other than those of running uploads, sending size and status of each as they were when it was selected. */
export function useFileBulkDeletion() {
  const queryClient = useQueryClient();

  async function deleteAll(selection: FileSelection): Promise<BulkOutcome<ObjectKey>> {
    let freedBytes = 0;
    const outcome = await startBulkRun({
      verb: "Deleting files",
      ids: deletableOf(selection).map(({ key }) => key),
      batchSize: MAX_BULK_FILES,
      // Sequential: each call makes the store delete a hundred objects.
      atOnce: 1,
      async work(batch) {
        const files = batch
          .flatMap((id) => selection.get(id) ?? [])
          .map(({ key, size, status }) => ({ key, size, status }));
        try {
          const { results, freed } = await call(bulkDeleteFiles, { body: { files } });
          freedBytes += freed;
          const deleted = new Set(results.filter(({ ok }) => ok).map(({ key }) => key));
          const reasons = new Map(results.map(({ key, error }) => [key, error]));
          const left = batch.filter((key) => !deleted.has(key));
          return new Map(left.map((key) => [key, reasons.get(key) ?? "No reason was given."]));
        } catch (error) {
          return new Map(batch.map((key) => [key, messageOf(error)]));
        }
      },
      reportTitle: (count) => `${formatPlural(count, "file")} could not be deleted`,
      nameOf: (key) => selection.get(key)?.name ?? key,
    });
    refreshFiles(queryClient);
    const { succeeded, failures } = outcome;
    if (succeeded > 0)
      toast.success(`Deleted ${formatPlural(succeeded, "file")}: ${formatBytes(freedBytes)} freed`);
    if (failures.size > 0)
      toastError(
        succeeded > 0 ? "Failed to delete some files" : noneDeleted([...failures.values()]),
      );
    return outcome;
  }
  return deleteAll;
}

/** One reason for all, or only how many were refused: the report lists the reasons. */
function noneDeleted(reasons: readonly string[]): string {
  const [first = ""] = reasons;
  const none = reasons.length === 1 ? "The file was not deleted" : "None of the files was deleted";
  return reasons.every((reason) => reason === first) ? `${none}. ${first}` : `${none}.`;
}
