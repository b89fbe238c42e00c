import { useSelector } from "@tanstack/react-store";
import { CircleX, Trash2, ArchiveRestore } from "lucide-react";
import { useState } from "react";
import type { StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { formatCount } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import type { List } from "#console/lib/use-list.ts";
import { Button } from "#console/ui/button.tsx";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import { SaveSelected } from "#console/mp4/save-selected.tsx";
import { deletableOf, totalSizeOf, type useFileSelection } from "./use-file-selection.ts";
import { DeleteFilesDialog } from "./delete-files-dialog.tsx";
import { FilesSort } from "./files-sort.tsx";

const ALL_RUNNING = "These files belong to running uploads. Cancel the uploads first.";

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
  const { restore, trash } = useFileKeeping();
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const isRunning = selection.size > 0 && deletableOf(selection).length === 0;
  const { progress } = useSelector(bulkState);
  const [asking, setAsking] = useState(false);
  return (
    <>
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
        <SaveSelected files={[...selection.values()]} />
        {!isTrash && (
          <Button
            icon={<Trash2 />}
            busy={trash.isPending}
            disabled={selection.size === 0}
            disabledReason={deleteMissing ?? (isRunning ? ALL_RUNNING : undefined)}
            onClick={() =>
              trash.mutate(
                deletableOf(selection).map(({ key }) => key),
                { onSuccess: selected.clear },
              )
            }
          >
            Move to Trash
          </Button>
        )}
        {isTrash && (
          <Button
            icon={<ArchiveRestore />}
            busy={restore.isPending}
            disabled={selection.size === 0}
            disabledReason={writeMissing}
            onClick={() => restore.mutate([...selection.keys()])}
          >
            Restore Selected
          </Button>
        )}
        <Button
          icon={<CircleX />}
          busy={progress !== null}
          disabled={selection.size === 0}
          disabledReason={deleteMissing ?? (isRunning ? ALL_RUNNING : undefined)}
          onClick={() => setAsking(true)}
        >
          Delete Selected
        </Button>
      </SelectionBar>
      {asking && (
        <DeleteFilesDialog
          selection={selection}
          onDone={({ left }) => selected.keep(left)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
