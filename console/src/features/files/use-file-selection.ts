import { useState } from "react";
import type { QueryOf } from "#contract/call.ts";
import {
  matchingFiles,
  objectKeySchema,
  type ChosenFile,
  type ObjectKey,
  type StoredFile,
} from "#contract/files.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatCount } from "#console/lib/format.ts";
import type { Selection } from "#console/lib/selection.ts";
import { useSelection } from "#console/lib/use-selection.ts";
import { tellFailure } from "#console/ui/tell-failure.ts";
import { toast } from "#console/ui/toast-store.ts";
import { fileNameOf } from "./file-words.ts";

type SelectedFile = ChosenFile & { readonly name: string };
export type FileSelection = Selection<ObjectKey, SelectedFile>;

type Query = QueryOf<typeof matchingFiles>;
/** The list's filters. */
export type MatchingFilter = { readonly [K in keyof Query]?: Query[K] | undefined };

/** Selected files: rows, this page, or all that match, each as it was when selected. */
export function useFileSelection(page: readonly StoredFile[], matching: MatchingFilter) {
  const scope = JSON.stringify(matching);
  const selected = useSelection<StoredFile, ObjectKey, SelectedFile>(page, scope, (file) => {
    const key = objectKeySchema.parse(file.key);
    return [key, { key, size: file.size, status: file.status, name: fileNameOf(file) }];
  });
  const [selectingAll, setSelectingAll] = useState(false);

  async function selectAllMatching() {
    setSelectingAll(true);
    try {
      const { files, totalIsCapped } = await call(matchingFiles, { query: matching });
      selected.selectOnly(
        files.map((file) => [file.key, { ...file, name: fileNameOf({ ...file, filename: null }) }]),
      );
      if (totalIsCapped) toast.info(`Selected the newest ${formatCount(files.length)} files`);
    } catch (error) {
      tellFailure(messageOf(error));
    } finally {
      setSelectingAll(false);
    }
  }
  return { ...selected, selectingAll, selectAllMatching };
}

export function totalSizeOf(selection: FileSelection): number {
  return [...selection.values()].reduce((sum, { size }) => sum + size, 0);
}
