import type { UploadStatus } from "#contract/upload.ts";

/**
 * The states of an upload.
 *
 * An upload starts as **pending**. A runner that takes its lease makes it **processing**; it stays
 * so while it copies, waits for a source that is down, is handed over between runners or is proved.
 * Three states end a run:
 *
 * - **completed**: the store was proved to hold every segment of the source. This state is final,
 *   and only the proof enters it.
 * - **failed**: the error is permanent, or the attempts are used up. A retry makes it pending
 *   again, keeping its checkpoint, while `retryCount < maxRetries`.
 * - **cancelled**: an administrator (or the ban of its initiator) stopped it. This state is final.
 *
 * Deleting removes the row in any state and is not a state of its own.
 *
 * Every transition is one UPDATE guarded by the states it may start from, so that exactly one of
 * two racing actions takes effect.
 */
export const UPLOAD_TRANSITIONS = {
  cancel: { from: ["pending", "processing"], to: "cancelled" },
  retry: { from: ["failed"], to: "pending" },
} as const satisfies Record<string, { from: readonly UploadStatus[]; to: UploadStatus }>;
