import { useState } from "react";
import type { QueryOf } from "#contract/call.ts";
import type { UploadId } from "#contract/ids.ts";
import { type Upload } from "#contract/upload.ts";
import { matchingUploadIds } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatCount } from "#console/lib/format.ts";
import type { Selection } from "#console/lib/selection.ts";
import { useSelection } from "#console/lib/use-selection.ts";
import { tellFailure } from "#console/ui/tell-failure.ts";
import { toast } from "#console/ui/toast-store.ts";
import { canRetry, isRetryUseful } from "./upload-rules.ts";

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

type MatchingFilter = QueryOf<typeof matchingUploadIds>;

/** Selected failed uploads: rows, this page, or all that match, as they were when selected. */
export function useFailedSelection(page: readonly Upload[], matching: MatchingFilter) {
  const scope = JSON.stringify(matching);
  const selected = useSelection<Upload, UploadId, FailedUpload>(page, scope, (upload) => [
    upload.id,
    {
      name: upload.filename,
      canRetry: canRetry(upload) && isRetryUseful(upload),
      hasFile: upload.fileStatus !== null,
    },
  ]);
  const [selectingAll, setSelectingAll] = useState(false);

  async function selectAllMatching() {
    setSelectingAll(true);
    try {
      const { items, totalIsCapped } = await call(matchingUploadIds, { query: matching });
      const names = new Map(page.map(({ id, filename }) => [id, filename]));
      selected.selectOnly(
        items.map((item) => [
          item.id,
          {
            name: names.get(item.id) ?? null,
            canRetry: item.canRetry,
            hasFile: item.hasFile,
          },
        ]),
      );
      if (totalIsCapped) toast.info(`Selected the first ${formatCount(items.length)} uploads`);
    } catch (error) {
      tellFailure(messageOf(error));
    } finally {
      setSelectingAll(false);
    }
  }
  return { ...selected, selectingAll, selectAllMatching };
}
