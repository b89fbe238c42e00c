import type { DataOf } from "#contract/call.ts";
import type { uploadWork } from "#contract/uploads.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";

const NAMES_SHOWN = 10;

/** Names what a restart interrupts. */
export function RestartDialog({
  work,
  onRestart,
  onClose,
}: {
  /** Null if it is not known. */
  readonly work: DataOf<typeof uploadWork> | null;
  readonly onRestart: () => void;
  readonly onClose: () => void;
}) {
  const names = (work?.uploads ?? [])
    .filter(({ queuePlace }) => queuePlace === undefined)
    .slice(0, NAMES_SHOWN)
    .map(({ metadata, filename }) => visibleText(metadata.streamTitle ?? filename));
  const more = (work?.running ?? 0) - names.length;
  return (
    <ConfirmDialog
      title="Restart workers"
      question={`Are you sure you want to restart the workers? ${
        work === null
          ? "Running uploads are"
          : `${formatPlural(work.running, "running upload")} will be`
      } interrupted, and continued from what is stored.`}
      confirmLabel="Restart workers"
      dismissLabel="Keep running"
      onConfirm={onRestart}
      onClose={onClose}
    >
      {names.length > 0 && (
        <DialogSubject
          name={names.join(", ")}
          detail={more > 0 && `and ${formatCount(more)} more`}
        />
      )}
    </ConfirmDialog>
  );
}
