import { useQuery } from "@tanstack/react-query";
import type { ObjectKey } from "#contract/files.ts";
import { fileQuery } from "#console/domain/files/file-query.ts";
import { fileNameOf, storedRefusal } from "#console/domain/files/file-words.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { Dialog, DialogError, DialogText } from "#console/ui/dialog.tsx";
import { Mp4Dialog } from "./mp4-dialog.tsx";

/** "Save as MP4" for a stored file. */
export function FileMp4Dialog({
  fileKey,
  onClose,
}: {
  readonly fileKey: ObjectKey;
  readonly onClose: () => void;
}) {
  const { data: file, error } = useQuery(fileQuery(fileKey));
  if (file !== undefined)
    return (
      <Mp4Dialog
        fileKey={fileKey}
        name={fileNameOf(file)}
        sizeBytes={file.size}
        refusal={storedRefusal(file)}
        onClose={onClose}
      />
    );
  return (
    <Dialog title="Save as MP4" onClose={onClose}>
      {error !== null ? (
        <DialogError>{messageOf(error)}</DialogError>
      ) : (
        <DialogText>Loading...</DialogText>
      )}
    </Dialog>
  );
}
