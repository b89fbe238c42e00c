import type { StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { fileTitleOf } from "#console/domain/files/file-words.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";

const FAILURE = "Failed to delete file";

export function DeleteFileDialog({
  file,
  onConfirm,
  onClose,
}: {
  readonly file: StoredFile;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const name = fileTitleOf(file);
  return (
    <ConfirmDialog
      title="Delete file"
      question={`Are you sure you want to delete "${name}"? This action cannot be undone.`}
      confirmLabel="Delete file"
      danger
      onConfirm={onConfirm}
      onClose={onClose}
      describeError={(error) => messageOf(error, FAILURE)}
    >
      <DialogSubject
        name={`${formatBytes(file.size)} of ${visibleText(file.username ?? "an unknown user")}`}
        detail={visibleText(file.key)}
      />
    </ConfirmDialog>
  );
}
