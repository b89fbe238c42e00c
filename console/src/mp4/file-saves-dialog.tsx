import type { Transfer } from "#console/lib/transfer-queue.ts";
import { Button } from "#console/ui/button.tsx";
import { Dialog, DialogText } from "#console/ui/dialog.tsx";
import { TransferRow } from "#console/ui/transfer-row.tsx";
import { cancelSave, removeSave, repeatSave, useFileSaves } from "./file-saves.ts";

const PHASES: Readonly<Record<Transfer["phase"], string>> = {
  queued: "Waiting",
  running: "Saving",
  waiting: "Written",
  paused: "Paused",
  done: "Saved",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** The files that this browser saves. Closing it stops nothing. */
export function FileSavesDialog({ onClose }: { readonly onClose: () => void }) {
  const saves = useFileSaves();
  return (
    <Dialog
      title="Saving files"
      shape="side"
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <DialogText>
        For MP4 files, video and audio are copied unchanged, in your browser. Keep this page open
        until all are saved; you can go on working in it.
      </DialogText>
      <ul className="stack gap3">
        {saves.map((save) => (
          <TransferRow
            key={save.key}
            transfer={save}
            verb="Saving"
            outcome={PHASES[save.phase]}
            isRemovable={save.phase === "waiting"}
            onResume={() => repeatSave(save.key)}
            onCancel={() => cancelSave(save.key)}
            onRemove={() => removeSave(save.key)}
          />
        ))}
      </ul>
    </Dialog>
  );
}
