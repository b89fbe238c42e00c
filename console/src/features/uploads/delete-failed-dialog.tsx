import { visibleText } from "#console/lib/visible-text.ts";
import { formatCount } from "#console/lib/format.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import type { FailedSelection } from "./use-failed-selection.ts";

const NAMES_SHOWN = 5;

/** Asks before many are deleted, in the specification's words, naming some of them. */
export function DeleteFailedDialog({
  selection,
  onConfirm,
  onClose,
}: {
  readonly selection: FailedSelection;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const names = [...selection.values()].flatMap(({ name }) => (name === null ? [] : [name]));
  const shown = names.slice(0, NAMES_SHOWN);
  const rest = selection.size - shown.length;
  return (
    <ConfirmDialog
      title="Delete failed uploads"
      question={`Are you sure you want to delete ${selection.size} failed uploads?`}
      confirmLabel="Delete uploads"
      danger
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <DialogSubject
        name={shown.map((name) => visibleText(name)).join(", ") || "Uploads of other pages"}
        detail={
          <>
            {rest > 0 && shown.length > 0 && (
              <>
                and {formatCount(rest)} more
                <br />
              </>
            )}
            Their unfinished parts are removed from storage.
          </>
        }
      />
    </ConfirmDialog>
  );
}
