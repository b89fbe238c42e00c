import { formatBytes } from "#contract/format-bytes.ts";
import type { Upload } from "#contract/upload.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { failureWithReason } from "./failure-with-reason.ts";

/** Asks first, because `cancelled` is final. */
export function CancelUploadDialog({
  upload,
  onConfirm,
  onClose,
}: {
  /** The current state: what is lost depends on the progress. */
  readonly upload: Upload;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { processedSize } = upload;
  return (
    <ConfirmDialog
      title="Cancel upload"
      question="Are you sure you want to cancel this upload? A cancelled upload can't be resumed."
      confirmLabel="Cancel upload"
      dismissLabel="Keep it"
      danger
      onConfirm={async () => {
        await onConfirm();
      }}
      onClose={onClose}
      describeError={(error) => failureWithReason("Failed to cancel upload", error)}
    >
      <DialogSubject
        name={visibleText(upload.metadata.streamTitle ?? upload.filename)}
        detail={
          processedSize === 0
            ? "Nothing has been stored yet."
            : `The ${formatBytes(processedSize)} stored so far will be deleted.`
        }
      />
    </ConfirmDialog>
  );
}
