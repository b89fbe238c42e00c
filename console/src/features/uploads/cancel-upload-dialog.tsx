import { useMutation, useQueryClient } from "@tanstack/react-query";
import { formatBytes } from "#contract/format-bytes.ts";
import type { Upload } from "#contract/upload.ts";
import { cancelUpload } from "#contract/uploads.ts";
import { applyUpload } from "#console/domain/uploads/live-updates.ts";
import { call } from "#console/lib/api-client.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { failureWithReason } from "./failure-with-reason.ts";
import { useRefreshUploads } from "./upload-actions.ts";

const FAILURE = "Failed to cancel upload";

/** Asks first, because `cancelled` is final. */
export function CancelUploadDialog({
  upload,
  onClose,
}: {
  /** The current state: what is lost depends on the progress. */
  readonly upload: Upload;
  readonly onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const { id, processedSize } = upload;
  const cancel = useMutation({
    mutationFn: () => call(cancelUpload, { params: { id } }),
    onSuccess: (cancelled) => {
      applyUpload(queryClient, cancelled);
      toast.success("Upload cancelled");
    },
    onError: () => toastError(FAILURE),
    onSettled: useRefreshUploads(),
  });
  return (
    <ConfirmDialog
      title="Cancel upload"
      question="Are you sure you want to cancel this upload? A cancelled upload can't be resumed."
      confirmLabel="Cancel upload"
      dismissLabel="Keep it"
      danger
      onConfirm={() => cancel.mutateAsync()}
      onClose={onClose}
      describeError={(error) => failureWithReason(FAILURE, error)}
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
