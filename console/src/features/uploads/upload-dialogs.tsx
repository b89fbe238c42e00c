import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { formatBytes } from "#contract/format-bytes.ts";
import type { Upload, UploadStatus } from "#contract/upload.ts";
import { cancelUpload, deleteUpload } from "#contract/uploads.ts";
import {
  applyDeletion,
  applyUpload,
  useRefreshUploads,
} from "#console/domain/uploads/live-updates.ts";
import { call } from "#console/lib/api-client.ts";
import { ApiError, messageOf } from "#console/lib/api-error.ts";
import { hasBill } from "#console/lib/deployment.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import type { UploadDialogKind } from "./uploads-search.ts";

type Props = {
  /** The current state: what is lost depends on the progress. */
  readonly upload: Upload;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
};

/** What an action on an upload asks before it starts. */
export function UploadDialog({ kind, ...props }: Props & { readonly kind: UploadDialogKind }) {
  return kind === "cancel" ? (
    <CancelUploadDialog {...props} />
  ) : (
    <DeleteUploadDialog {...props} question="Are you sure you want to delete this upload?" />
  );
}

/** Asks first, because `cancelled` is final. */
function CancelUploadDialog({ upload, onClose }: Props) {
  const queryClient = useQueryClient();
  const { id, processedSize } = upload;
  return (
    <ConfirmChange
      verb="cancel"
      question="Are you sure you want to cancel this upload? A cancelled upload can't be resumed."
      dismissLabel="Keep it"
      change={async () => {
        applyUpload(queryClient, await call(cancelUpload, { params: { id } }));
        toast.success("Upload cancelled");
      }}
      upload={upload}
      detail={
        processedSize === 0
          ? "Nothing has been stored yet."
          : `The ${formatBytes(processedSize)} stored so far will be deleted.`
      }
      onClose={onClose}
    />
  );
}

/** Confirms in fixed words (docs/console.md#words), which depend on the screen. */
export function DeleteUploadDialog({
  upload,
  question,
  ifStatus,
  onDeleted,
  onClose,
}: Props & {
  readonly question: string;
  /** With a status, the service refuses if the upload has moved on since. */
  readonly ifStatus?: UploadStatus;
}) {
  const queryClient = useQueryClient();
  const { id } = upload;
  const [withFile, setWithFile] = useState(false);
  const hasFile = upload.fileStatus !== null;
  const file = hasFile && withFile ? "delete" : undefined;
  return (
    <ConfirmChange
      verb="delete"
      question={question}
      change={async () => {
        await call(deleteUpload, { params: { id }, query: { ifStatus, file } });
        applyDeletion(queryClient, id);
        toast.success("Upload deleted");
        onDeleted?.();
      }}
      upload={upload}
      detail={
        <>
          {visibleText(upload.filename)} · {upload.id}
          <br />
          {consequenceOf(upload, withFile)}
        </>
      }
      onClose={onClose}
    >
      {hasFile && (
        <Checkbox label="Also delete its stored file" checked={withFile} onChange={setWithFile} />
      )}
    </ConfirmChange>
  );
}

/** A failure is shown in the dialog, which stays open, and in a toast. */
function ConfirmChange({
  verb,
  change,
  upload,
  detail,
  children,
  ...rest
}: Pick<Props, "upload" | "onClose"> & {
  readonly verb: "cancel" | "delete";
  readonly question: string;
  readonly dismissLabel?: string;
  readonly change: () => Promise<void>;
  readonly detail: ReactNode;
  readonly children?: ReactNode;
}) {
  const refresh = useRefreshUploads();
  const label = `${verb === "cancel" ? "Cancel" : "Delete"} upload`;
  const failure = `Failed to ${verb} upload`;
  async function confirm() {
    try {
      await change();
    } catch (error) {
      toastError(failure);
      throw error;
    } finally {
      refresh();
    }
  }
  return (
    <ConfirmDialog
      {...rest}
      title={label}
      confirmLabel={label}
      danger
      onConfirm={confirm}
      describeError={(error) => failureWithReason(failure, error)}
    >
      <DialogSubject
        name={visibleText(upload.metadata.streamTitle ?? upload.filename)}
        detail={detail}
      />
      {children}
    </ConfirmDialog>
  );
}

/** A fixed text, with the service's reason if the upload has changed or gone meanwhile. */
function failureWithReason(failure: string, error: unknown): string {
  const hasChanged =
    error instanceof ApiError && (error.code === "conflict" || error.code === "not_found");
  return hasChanged ? `${failure}. ${messageOf(error)}` : failure;
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
  const cost = hasBill() ? "it still costs money, but" : "it";
  return `${kept} stays in storage as an orphaned file: ${cost} can no longer be downloaded or played.`;
}
