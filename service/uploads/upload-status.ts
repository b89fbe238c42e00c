import type { UploadStatus } from "#contract/upload.ts";

/**
 * The life of an upload.
 *
 * An upload is born **pending**: planned by an administrator, not yet picked up. A runner that
 * takes its lease makes it **processing**; it stays so while it copies, waits for a source that
 * is down, hands over between runners or proves what it stored. Three states end a run:
 *
 * - **completed**: the store has proved that it holds every segment of the source. Nothing leaves
 *   this state, and nothing but the proof enters it.
 * - **failed**: a reason was found that waiting will not mend, or the tries are used up. A retry
 *   sends it back to pending, keeping its checkpoint, while `retryCount < maxRetries`.
 * - **cancelled**: an administrator (or the ban of its initiator) stopped it. Nothing leaves it.
 *
 * Deleting removes the row in any state and is not a state of its own.
 *
 * Every transition is one UPDATE that names the states it may leave from, so that of two racing
 * actions exactly one takes effect.
 */
export const UPLOAD_TRANSITIONS = {
  begin: { from: ["pending"], to: "processing" },
  complete: { from: ["processing"], to: "completed" },
  fail: { from: ["pending", "processing"], to: "failed" },
  cancel: { from: ["pending", "processing"], to: "cancelled" },
  retry: { from: ["failed"], to: "pending" },
} as const satisfies Record<string, { from: readonly UploadStatus[]; to: UploadStatus }>;

export type UploadAction = keyof typeof UPLOAD_TRANSITIONS;

/** The state after `action`, or null when the action is not offered in this state. */
export function nextStatus(
  action: UploadAction,
  upload: { status: UploadStatus; retryCount: number; maxRetries: number },
): UploadStatus | null {
  const { from, to } = UPLOAD_TRANSITIONS[action];
  if (!(from as readonly UploadStatus[]).includes(upload.status)) return null;
  if (action === "retry" && upload.retryCount >= upload.maxRetries) return null;
  return to;
}
