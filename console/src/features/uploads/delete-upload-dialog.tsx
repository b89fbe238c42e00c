import type { Upload } from "#contract/upload.ts";
import { ApiError, messageOf } from "#console/lib/api-error.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";

const FAILURE = "Failed to delete upload";

/** Asks in fixed words (docs/console.md#words); which of the two depends on the screen. */
export function DeleteUploadDialog({
  upload,
  question,
  onConfirm,
  onClose,
}: {
  /** As it is now: what is lost with it depends on how far it has come. */
  readonly upload: Upload;
  readonly question: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title="Delete upload"
      question={question}
      confirmLabel="Delete upload"
      danger
      onConfirm={async () => {
        await onConfirm();
      }}
      onClose={onClose}
      describeError={describeFailure}
    >
      <DialogSubject
        name={visibleText(upload.metadata.streamTitle ?? upload.filename)}
        detail={
          <>
            {visibleText(upload.filename)} · {upload.id}
            <br />
            {upload.status === "completed"
              ? "The archived file stays in storage as orphaned until it is deleted there."
              : "Its unfinished parts are removed from storage."}
          </>
        }
      />
    </ConfirmDialog>
  );
}

/** That it has changed meanwhile is worth knowing: asking again would be another question. */
function describeFailure(error: unknown): string {
  const isConflict = error instanceof ApiError && error.code === "conflict";
  return isConflict ? `${FAILURE}. ${messageOf(error)}` : FAILURE;
}
