import type { Upload } from "#contract/upload.ts";
import { formatCount } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { UPLOAD_STATUS_LABELS } from "#console/ui/upload-status-badge.tsx";

/** More changes at once are only counted. */
const NAMED = 3;

/**
 * Changes worth announcing: new uploads, changes of status, and stalls, but not progress. Empty if
 * there are none.
 */
export function changesBetween(before: readonly Upload[], after: readonly Upload[]): string {
  const statusBefore = new Map(before.map((upload) => [upload.id, statusOf(upload)]));
  const newest =
    before
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .at(-1) ?? "";
  const changed = after.filter((upload) => {
    const status = statusBefore.get(upload.id);
    // An older upload came from another page, to fill a gap.
    return status === undefined ? upload.createdAt >= newest : status !== statusOf(upload);
  });
  if (changed.length > NAMED) return `${formatCount(changed.length)} uploads changed`;
  return changed.map((upload) => `${visibleText(upload.filename)}: ${statusOf(upload)}`).join(". ");
}

function statusOf(upload: Upload): string {
  return upload.debugInfo.isStalled ? "Stalled" : UPLOAD_STATUS_LABELS[upload.status];
}
