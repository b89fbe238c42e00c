import { useQueryClient } from "@tanstack/react-query";
import { bulkDeleteFiles, type ObjectKey } from "#contract/files.ts";
import { MAX_BULK_FILES } from "#contract/limits.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { startBulkRun, type BulkOutcome } from "#console/lib/bulk-run.ts";
import { formatPlural } from "#console/lib/format.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { refreshFiles } from "./file-actions.ts";
import { deletableOf, type FileSelection } from "./use-file-selection.ts";

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
        const files = batch.flatMap((id) => {
          const file = selection.get(id);
          return file === undefined
            ? []
            : [{ key: file.key, size: file.size, status: file.status }];
        });
        try {
          const { results, freed } = await call(bulkDeleteFiles, { body: { files } });
          freedBytes += freed;
          const refused = new Map(results.map(({ key, ok, error }) => [key, ok ? null : error]));
          return new Map(
            batch.flatMap((key) => {
              const reason = refused.get(key);
              return reason === null ? [] : [[key, reason ?? "No reason was given."]];
            }),
          );
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
