import {
  matchingFiles,
  type ChosenFile,
  type ObjectKey,
  type StoredFile,
} from "#contract/files.ts";
import { fileNameOf } from "#console/domain/files/file-words.ts";
import { call } from "#console/lib/api-client.ts";
import type { ViewOf } from "#console/lib/api-request.ts";
import type { Selection } from "#console/lib/selection.ts";
import { useSelection } from "#console/ui/list/use-selection.ts";

type SelectedFile = ChosenFile & { readonly name: string };
export type FileSelection = Selection<ObjectKey, SelectedFile>;

/** Selected files: rows, this page, or all that match, each as it was when selected. */
export function useFileSelection(
  page: readonly StoredFile[],
  matching: ViewOf<typeof matchingFiles>,
) {
  return useSelection<StoredFile, ObjectKey, SelectedFile>({
    page,
    scope: JSON.stringify(matching),
    read: (file) => {
      const { key, size, status } = file;
      return [key, { key, size, status, name: fileNameOf(file) }];
    },
    async fetchMatching() {
      const { files, totalIsCapped } = await call(matchingFiles, { query: matching });
      return {
        rows: files.map((file) => [
          file.key,
          { ...file, name: fileNameOf({ ...file, filename: null }) },
        ]),
        isCapped: totalIsCapped,
      };
    },
    cappedText: (count) => `Selected the newest ${count} files`,
  });
}

export function totalSizeOf(selection: FileSelection): number {
  return [...selection.values()].reduce((sum, { size }) => sum + size, 0);
}
