import type { StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatCount } from "#console/lib/format.ts";
import type { List } from "#console/lib/use-list.ts";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { FilesSort } from "./files-sort.tsx";
import { SelectedFiles } from "./lazy-parts.ts";
import { totalSizeOf, type useFileSelection } from "./use-file-selection.ts";

/** Count and size of the selected files, and what is done to them; without any, their order. */
export function FileSelectionBar({
  list,
  hiddenChunks,
  onShowChunks,
  selected,
  isTrash,
}: {
  readonly list: List<StoredFile>;
  /** Files of unfinished uploads that the list leaves out. */
  readonly hiddenChunks: number;
  readonly onShowChunks: () => void;
  readonly selected: ReturnType<typeof useFileSelection>;
  /** The list shows the trash. */
  readonly isTrash: boolean;
}) {
  const { selection } = selected;
  return (
    <SelectionBar
      list={list}
      selected={selected}
      idle={<FilesSort list={list} />}
      more={
        hiddenChunks > 0 && (
          <TextButton onClick={onShowChunks}>{formatCount(hiddenChunks)} unfinished</TextButton>
        )
      }
      note={selection.size > 0 ? formatBytes(totalSizeOf(selection.values())) : undefined}
    >
      <SelectedFiles selected={selected} isTrash={isTrash} />
    </SelectionBar>
  );
}
