import type { UploadId } from "#contract/ids.ts";
import { type Upload } from "#contract/upload.ts";
import { matchingUploadIds } from "#contract/uploads.ts";
import { canRetryAmongOthers } from "#console/domain/uploads/upload-rules.ts";
import { call } from "#console/lib/api-client.ts";
import type { ViewOf } from "#console/lib/api-request.ts";
import type { Selection } from "#console/lib/selection.ts";
import { useSelection } from "#console/ui/list/use-selection.ts";

type FailedUpload = {
  /** Null if it was not on the page. */
  readonly name: string | null;
  readonly canRetry: boolean;
  /** Deleting the upload would leave its partial file in storage. */
  readonly hasFile: boolean;
};
export type FailedSelection = Selection<UploadId, FailedUpload>;

export function retryableIds(selection: FailedSelection): UploadId[] {
  return [...selection].flatMap(([id, known]) => (known.canRetry ? [id] : []));
}

export function nameIn(selection: FailedSelection) {
  return (id: UploadId) => selection.get(id)?.name ?? id;
}

/** Selected failed uploads: rows, this page, or all that match, as they were when selected. */
export function useFailedSelection(
  page: readonly Upload[],
  matching: ViewOf<typeof matchingUploadIds>,
) {
  return useSelection<Upload, UploadId, FailedUpload>({
    page,
    scope: JSON.stringify(matching),
    read: (upload) => [
      upload.id,
      {
        name: upload.filename,
        canRetry: canRetryAmongOthers(upload),
        hasFile: upload.fileStatus !== null,
      },
    ],
    async fetchMatching() {
      const { items, totalIsCapped } = await call(matchingUploadIds, { query: matching });
      const names = new Map(page.map(({ id, filename }) => [id, filename]));
      return {
        rows: items.map(({ id, ...known }) => [id, { ...known, name: names.get(id) ?? null }]),
        isCapped: totalIsCapped,
      };
    },
    cappedText: (count) => `Selected the first ${count} uploads`,
  });
}
