import { useState } from "react";
import { visibleText } from "#console/lib/visible-text.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import type { FailedSelection } from "./use-failed-selection.ts";

const NAMES_SHOWN = 5;

/** Confirms a bulk deletion in the specified words, naming some of the uploads. */
export function DeleteFailedDialog({
  selection,
  onConfirm,
  onClose,
}: {
  readonly selection: FailedSelection;
  readonly onConfirm: (file: "delete" | undefined) => void;
  readonly onClose: () => void;
}) {
  const [withFiles, setWithFiles] = useState(false);
  const hasFiles = [...selection.values()].some(({ hasFile }) => hasFile);
  const names = [...selection.values()].flatMap(({ name }) => (name === null ? [] : [name]));
  const shown = names.slice(0, NAMES_SHOWN);
  const rest = selection.size - shown.length;
  return (
    <ConfirmDialog
      title="Delete failed uploads"
      question={`Are you sure you want to delete ${formatPlural(selection.size, "failed upload")}?`}
      confirmLabel="Delete uploads"
      danger
      onConfirm={() => onConfirm(hasFiles && withFiles ? "delete" : undefined)}
      onClose={onClose}
    >
      <DialogSubject
        name={shown.map((name) => visibleText(name)).join(", ") || "Uploads on other pages"}
        detail={
          <>
            {rest > 0 && shown.length > 0 && (
              <>
                and {formatCount(rest)} more
                <br />
              </>
            )}
            Their unfinished parts are removed from storage.
            {hasFiles &&
              (withFiles
                ? " Their partial files are deleted with them."
                : " Their partial files stay as orphaned files: they still cost money, but can no longer be downloaded or played.")}
          </>
        }
      />
      {hasFiles && (
        <Checkbox
          label="Also delete their partial files"
          checked={withFiles}
          onChange={setWithFiles}
        />
      )}
    </ConfirmDialog>
  );
}
