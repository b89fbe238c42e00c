import { useSelector } from "@tanstack/react-store";
import { ArchiveRestore, CircleX, Trash2 } from "lucide-react";
import { useState } from "react";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { SaveSelected } from "#console/mp4/save-selected.tsx";
import { Button } from "#console/ui/button.tsx";
import { DeleteFilesDialog } from "./delete-files-dialog.tsx";
import { deletableOf, type useFileSelection } from "./use-file-selection.ts";

const ALL_RUNNING = "These files belong to running uploads. Cancel the uploads first.";

/** Saves the selected files, moves them to the trash or back, or deletes them. */
export function SelectedFiles({
  selected,
  isTrash,
}: {
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
