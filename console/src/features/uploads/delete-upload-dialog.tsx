import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Upload, UploadStatus } from "#contract/upload.ts";
import { deleteUpload } from "#contract/uploads.ts";
import { applyDeletion } from "#console/domain/uploads/live-updates.ts";
import { call } from "#console/lib/api-client.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { failureWithReason } from "./failure-with-reason.ts";
import { useRefreshUploads } from "./upload-actions.ts";

const FAILURE = "Failed to delete upload";

/** Confirms in fixed words (docs/console.md#words), which depend on the screen. */
export function DeleteUploadDialog({
  upload,
  question,
  ifStatus,
  onDeleted,
  onClose,
}: {
  /** The current state: what is lost depends on the progress. */
  readonly upload: Upload;
  readonly question: string;
  /** With a status, the service refuses if the upload has moved on since. */
  readonly ifStatus?: UploadStatus;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const { id } = upload;
  const [withFile, setWithFile] = useState(false);
  const hasFile = upload.fileStatus !== null;
  const file = hasFile && withFile ? "delete" : undefined;
  const remove = useMutation({
    mutationFn: () => call(deleteUpload, { params: { id }, query: { ifStatus, file } }),
    onSuccess: () => {
      applyDeletion(queryClient, id);
      toast.success("Upload deleted");
      onDeleted?.();
    },
    onError: () => toastError(FAILURE),
    onSettled: useRefreshUploads(),
  });
  return (
    <ConfirmDialog
      title="Delete upload"
      question={question}
      confirmLabel="Delete upload"
      danger
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
      describeError={(error) => failureWithReason(FAILURE, error)}
    >
      <DialogSubject
        name={visibleText(upload.metadata.streamTitle ?? upload.filename)}
        detail={
          <>
            {visibleText(upload.filename)} · {upload.id}
            <br />
            {consequenceOf(upload, withFile)}
          </>
        }
      />
      {hasFile && (
        <Checkbox label="Also delete its stored file" checked={withFile} onChange={setWithFile} />
      )}
    </ConfirmDialog>
  );
}

function consequenceOf({ status, fileStatus, processedSize }: Upload, withFile: boolean): string {
  const isCompleted = status === "completed";
  if (fileStatus === null) {
    if (isCompleted) return "Its file has already been deleted.";
    return processedSize === 0
      ? "Nothing is stored."
      : "Its unfinished parts are removed from storage.";
  }
  if (withFile) return "Its stored file is deleted with it. This action cannot be undone.";
  const kept = isCompleted ? "The archived file" : "Its partial file";
  return `${kept} stays in storage as an orphaned file: it still costs money, but can no longer be downloaded or played.`;
}
