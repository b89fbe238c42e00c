import {
  matchingFiles,
  type ChosenFile,
  type ObjectKey,
  type StoredFile,
} from "#contract/files.ts";
import { fileTitleOf } from "#console/domain/files/file-words.ts";
import { call } from "#console/lib/api-client.ts";
import type { ViewOf } from "#console/lib/api-request.ts";
import type { Selection } from "#console/lib/selection.ts";
import { useSelection } from "#console/ui/list/use-selection.ts";

type SelectedFile = ChosenFile & {
  readonly name: string;
  /** It cannot be deleted. */
  readonly isUploadRunning: boolean;
};
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
      const { key, size, status, isUploadRunning } = file;
      return [key, { key, size, status, isUploadRunning, name: fileTitleOf(file) }];
    },
    async fetchMatching() {
      const { files, titles, running, totalIsCapped } = await call(matchingFiles, {
        query: matching,
      });
      const isRunning = new Set(running);
      return {
        rows: files.map((file, index) => [
          file.key,
          {
            ...file,
            isUploadRunning: isRunning.has(file.key),
            name: fileTitleOf({ ...file, title: titles[index] ?? null, filename: null }),
          },
        ]),
        isCapped: totalIsCapped,
      };
    },
    cappedText: (count) => `Selected the newest ${count} files`,
  });
}

export function deletableOf(selection: FileSelection): readonly SelectedFile[] {
  return [...selection.values()].filter(({ isUploadRunning }) => !isUploadRunning);
}

export function totalSizeOf(files: Iterable<SelectedFile>): number {
  return [...files].reduce((sum, { size }) => sum + size, 0);
}
