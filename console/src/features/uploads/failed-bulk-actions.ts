import { useState } from "react";
import type { UploadId } from "#contract/ids.ts";
import { MAX_BULK_IDS } from "#contract/limits.ts";
import { bulkRetry, deleteUpload } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { runInBatches } from "#console/lib/batches.ts";
import { formatPlural } from "#console/lib/format.ts";
import { toast } from "#console/ui/toast-store.ts";
import { useRefreshUploads } from "./upload-actions.ts";

/** Few enough to leave connections for everything else the console asks. */
const DELETES_AT_ONCE = 4;

export type BulkProgress = {
  readonly verb: "Retrying" | "Deleting";
  readonly done: number;
  readonly total: number;
};

/** Bulk retry and delete, with progress. Both return the ids for which they failed. */
export function useBulkActions() {
  const refresh = useRefreshUploads();
  const [progress, setProgress] = useState<BulkProgress | null>(null);

  async function run(
    verb: BulkProgress["verb"],
    ids: readonly UploadId[],
    work: (advance: (count: number) => void) => Promise<ReadonlySet<UploadId>>,
  ): Promise<ReadonlySet<UploadId>> {
    setProgress({ verb, done: 0, total: ids.length });
    try {
      return await work((count) =>
        setProgress((before) => before && { ...before, done: before.done + count }),
      );
    } finally {
      setProgress(null);
      refresh();
    }
  }

  function retryAll(ids: readonly UploadId[]): Promise<ReadonlySet<UploadId>> {
    return run("Retrying", ids, async (advance) => {
      const failed = new Set<UploadId>();
      let succeeded = 0;
      let unanswered = 0;
      for (let start = 0; start < ids.length; start += MAX_BULK_IDS) {
        const batch = ids.slice(start, start + MAX_BULK_IDS);
        try {
          const { success, results } = await call(bulkRetry, { body: { ids: batch } });
          succeeded += success;
          for (const { id, ok } of results) if (!ok) failed.add(id);
        } catch {
          unanswered += 1;
          for (const id of batch) failed.add(id);
        }
        advance(batch.length);
      }
      if (succeeded > 0) toast.success(`Retry initiated for ${formatPlural(succeeded, "upload")}`);
      if (unanswered > 0 && succeeded === 0) toast.error("Failed to initiate bulk retry");
      else if (failed.size > 0)
        toast.error(`Failed to retry ${formatPlural(failed.size, "upload")}`);
      return failed;
    });
  }

  function deleteAll(ids: readonly UploadId[]): Promise<ReadonlySet<UploadId>> {
    return run("Deleting", ids, async (advance) => {
      const failed = new Set<UploadId>();
      await runInBatches(ids, DELETES_AT_ONCE, async (id) => {
        try {
          await call(deleteUpload, { params: { id } });
        } catch {
          failed.add(id);
        }
        advance(1);
      });
      const deleted = ids.length - failed.size;
      if (deleted > 0) toast.success(`Deleted ${formatPlural(deleted, "upload")}`);
      if (failed.size > 0) toast.error("Failed to delete some uploads");
      return failed;
    });
  }

  return { progress, retryAll, deleteAll };
}
