import type { Upload } from "#contract/upload.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";

/** Asks in fixed words (docs/console.md#words); which of the two depends on the screen. */
export function DeleteUploadDialog({
  upload,
  question,
  onConfirm,
  onClose,
}: {
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
      describeError={() => "Failed to delete upload"}
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
