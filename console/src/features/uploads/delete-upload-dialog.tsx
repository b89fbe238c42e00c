import { useState } from "react";
import type { Upload } from "#contract/upload.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { failureWithReason } from "./failure-with-reason.ts";

/** Confirms in fixed words (docs/console.md#words), which depend on the screen. */
export function DeleteUploadDialog({
  upload,
  question,
  onConfirm,
  onClose,
}: {
  /** The current state: what is lost depends on the progress. */
  readonly upload: Upload;
  readonly question: string;
  readonly onConfirm: (file: "delete" | undefined) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [withFile, setWithFile] = useState(false);
  const hasFile = upload.fileStatus !== null;
  return (
    <ConfirmDialog
      title="Delete upload"
      question={question}
      confirmLabel="Delete upload"
      danger
      onConfirm={async () => {
        await onConfirm(hasFile && withFile ? "delete" : undefined);
      }}
      onClose={onClose}
      describeError={(error) => failureWithReason("Failed to delete upload", error)}
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
        <Checkbox
          label="Also delete its stored file"
          checked={withFile}
          onChange={(next) => setWithFile(next)}
        />
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
