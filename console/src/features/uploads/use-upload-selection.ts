import type { UploadId } from "#contract/ids.ts";
import { MAX_PAGE_SIZE } from "#contract/limits.ts";
import type { Upload } from "#contract/upload.ts";
import { listUploads } from "#contract/uploads.ts";
import {
  canCancel,
  canRetryAmongOthers,
  storedKeyOf,
} from "#console/domain/uploads/upload-rules.ts";
import type { UploadsView } from "#console/domain/uploads/uploads-view.ts";
import { call } from "#console/lib/api-client.ts";
import { useSelection } from "#console/ui/list/use-selection.ts";

/** Pages that *Select all matching* reads; there is no call for all ids. */
const MOST_PAGES = 10;

function read(upload: Upload) {
  const known = {
    name: upload.metadata.streamTitle ?? upload.filename,
    canCancel: canCancel(upload),
    canRetry: canRetryAmongOthers(upload),
    /** Of what may go to the trash. */
    fileKey: upload.isFileTrashed ? null : storedKeyOf(upload),
  };
  return [upload.id, known] as const;
}

/** Selected uploads: rows, this page, or the first thousand that match. */
export function useUploadSelection(rows: readonly Upload[], { page: _page, ...view }: UploadsView) {
  return useSelection<Upload, UploadId, ReturnType<typeof read>[1]>({
    page: rows,
    scope: JSON.stringify(view),
    read,
    async fetchMatching() {
      const found: Upload[] = [];
      for (let page = 1; page <= MOST_PAGES; page += 1) {
        const query = { ...view, page, limit: MAX_PAGE_SIZE };
        const { items, hasNext } = await call(listUploads, { query });
        found.push(...items);
        if (!hasNext) return { rows: found.map(read), isCapped: false };
      }
      return { rows: found.map(read), isCapped: true };
    },
    cappedText: (count) => `Selected the first ${count} uploads`,
  });
}
