import type { UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/uploads.ts";
import { canRetry } from "./upload-rules.ts";

/**
 * What is selected, frozen: exactly the uploads that were there when they were chosen. Whatever
 * fails later is never part of it. Each entry says whether a retry is possible, because those at
 * their maximum can be deleted but not retried.
 */
export type Selection = ReadonlyMap<UploadId, { readonly canRetry: boolean }>;

export const EMPTY_SELECTION: Selection = new Map();

export function selectUploads(
  selection: Selection,
  uploads: readonly Upload[],
  selected: boolean,
): Selection {
  const next = new Map(selection);
  for (const upload of uploads) {
    if (selected) next.set(upload.id, { canRetry: canRetry(upload) });
    else next.delete(upload.id);
  }
  return next;
}

/** The ids of the frozen scope "all N matching". */
export function selectAll(
  items: readonly { readonly id: UploadId; readonly canRetry: boolean }[],
): Selection {
  return new Map(items.map((item) => [item.id, { canRetry: item.canRetry }]));
}

export function retryableIds(selection: Selection): UploadId[] {
  return [...selection].flatMap(([id, entry]) => (entry.canRetry ? [id] : []));
}

/** What stays selected after an action: those for which it failed. */
export function keepOnly(selection: Selection, ids: ReadonlySet<UploadId>): Selection {
  return new Map([...selection].filter(([id]) => ids.has(id)));
}

/** The uploads between the last press and this one, as a press with Shift selects them. */
export function rangeBetween(
  uploads: readonly Upload[],
  anchor: UploadId | null,
  target: UploadId,
): readonly Upload[] {
  const to = uploads.findIndex((upload) => upload.id === target);
  const from = uploads.findIndex((upload) => upload.id === anchor);
  if (from === -1) return uploads.slice(to, to + 1);
  return uploads.slice(Math.min(from, to), Math.max(from, to) + 1);
}
