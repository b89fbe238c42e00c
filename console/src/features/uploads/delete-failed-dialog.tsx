import { useState } from "react";
import { deleteUpload } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { ApiError } from "#console/lib/api-error.ts";
import { hasBill } from "#console/lib/deployment.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { useEachUpload } from "./upload-actions.ts";
import { nameIn, type useFailedSelection } from "./use-failed-selection.ts";

const NAMES_SHOWN = 5;

/** Confirms and starts a bulk deletion in the specified words, naming some of the uploads. */
export function DeleteFailedDialog({
  selected,
  onClose,
}: {
  readonly selected: ReturnType<typeof useFailedSelection>;
  readonly onClose: () => void;
}) {
  const { selection } = selected;
  const deleteEach = useEachUpload("delete");
  const [withFiles, setWithFiles] = useState(false);
  const hasFiles = [...selection.values()].some(({ hasFile }) => hasFile);
  const names = [...selection.values()].flatMap(({ name }) => (name === null ? [] : [name]));
  const shown = names.slice(0, NAMES_SHOWN);
  const rest = selection.size - shown.length;
  async function deleteAll(): Promise<void> {
    const query = {
      ifStatus: "failed",
      file: hasFiles && withFiles ? "delete" : undefined,
    } as const;
    const { left } = await deleteEach([...selection.keys()], nameIn(selection), (id) =>
      call(deleteUpload, { params: { id }, query }).catch((error: unknown) => {
        const isGone = error instanceof ApiError && error.code === "not_found";
        if (!isGone) throw error;
      }),
    );
    await selected.keep(left);
  }
  return (
    <ConfirmDialog
      title="Delete failed uploads"
      question={`Are you sure you want to delete ${formatPlural(selection.size, "failed upload")}?`}
      confirmLabel="Delete uploads"
      typed={hasFiles && withFiles && selection.size > 1 ? formatCount(selection.size) : undefined}
      danger
      onConfirm={() => void deleteAll()}
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
                : ` Their partial files stay as orphaned files: ${hasBill() ? "they still cost money, but" : "they"} can no longer be downloaded or played.`)}
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
