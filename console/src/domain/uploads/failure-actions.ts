import type { UploadId } from "#contract/ids.ts";
import { MAX_BULK_IDS } from "#contract/limits.ts";
import type { FailureClass } from "#contract/upload.ts";
import { bulkDismiss, bulkRetry, matchingUploadIds } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { startBulkRun, type BulkFailures, type BulkOutcome } from "#console/lib/bulk-run.ts";
import { formatPlural } from "#console/lib/format.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { useRefreshUploads } from "./live-updates.ts";

export const RETRYING = "Retrying uploads";
export const DISMISSING = "Dismissing failures";

type NameOf = (id: UploadId) => string;

/** Retries and dismisses failed uploads, with progress and fixed toasts (docs/console.md#words). */
export function useFailureActions() {
  const refresh = useRefreshUploads();

  function run(
    verb: string,
    ids: readonly UploadId[],
    nameOf: NameOf,
    done: string,
    send: (batch: UploadId[]) => Promise<BulkFailures<UploadId>>,
  ): Promise<BulkOutcome<UploadId>> {
    return startBulkRun({
      verb,
      ids,
      batchSize: MAX_BULK_IDS,
      atOnce: 1,
      nameOf,
      reportTitle: (count) => `${formatPlural(count, "upload")} could not be ${done}`,
      work: (batch) => send([...batch]).catch((error: unknown) => allFailed(batch, error)),
    }).finally(refresh);
  }

  async function retry(ids: readonly UploadId[], nameOf: NameOf = (id) => id) {
    let isAnswered = false;
    const outcome = await run(RETRYING, ids, nameOf, "retried", async (batch) => {
      const { results } = await call(bulkRetry, { body: { ids: batch } });
      isAnswered = true;
      return new Map(
        results.flatMap(({ id, ok, error }) => (ok ? [] : [[id, error ?? "Refused"] as const])),
      );
    });
    const { succeeded, failures } = outcome;
    if (succeeded > 0) toast.success(`Retry initiated for ${formatPlural(succeeded, "upload")}`);
    if (!isAnswered && failures.size > 0) toastError("Failed to initiate bulk retry");
    else if (failures.size > 0) {
      toastError(`Failed to retry ${formatPlural(failures.size, "upload")}`);
    }
    return outcome;
  }

  /** `undo` takes the dismissal back. */
  async function dismiss(ids: readonly UploadId[], undo = false, nameOf: NameOf = (id) => id) {
    const done = undo ? "undismissed" : "dismissed";
    let changed = 0;
    const outcome = await run(DISMISSING, ids, nameOf, done, async (batch) => {
      changed += (await call(bulkDismiss, { body: { ids: batch, undo } })).changed;
      return new Map();
    });
    const { succeeded, failures } = outcome;
    const title = undo ? "Undismissed" : "Dismissed";
    if (succeeded > 0) toast.success(`${title} ${formatPlural(changed, "failure")}`);
    if (failures.size > 0) toastError(`Some failures could not be ${done}`);
    return outcome;
  }

  /** Acts on all failures of one cause, as they are when it is called. */
  async function ofCause(failureClass: FailureClass, action: "retry" | "dismiss"): Promise<void> {
    try {
      const { items } = await call(matchingUploadIds, { query: { failureClass } });
      if (action === "dismiss") await dismiss(items.map(({ id }) => id));
      else await retry(items.flatMap(({ id, canRetry }) => (canRetry ? [id] : [])));
    } catch (error) {
      toastError(`Failed to load the failed uploads. ${messageOf(error)}`);
    }
  }

  return { retry, dismiss, ofCause };
}

export function allFailed(batch: readonly UploadId[], error: unknown): BulkFailures<UploadId> {
  return new Map(batch.map((id) => [id, messageOf(error)]));
}
