import { useQuery } from "@tanstack/react-query";
import { Download, ListVideo } from "lucide-react";
import { objectKeySchema } from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { Dialog, DialogError } from "#console/ui/dialog.tsx";
import { VideoPlayer } from "#console/ui/video-player.tsx";
import { fileQuery } from "#console/features/files/file-queries.ts";
import { storedRefusal } from "#console/features/files/file-words.ts";
import { downloadPlaylist } from "#console/features/files/format-changes.ts";
import { downloadStoredFile, videoSourceOf } from "#console/features/files/stored-file.ts";

/** Plays a completed upload from storage, by byte ranges of the stored object. */
export function PlaybackDialog({
  upload,
  onClose,
}: {
  readonly upload: Upload;
  readonly onClose: () => void;
}) {
  const fileKey = upload.fileKey ?? "";
  const file = useQuery(fileQuery(objectKeySchema.safeParse(fileKey).data));
  const source = file.data && videoSourceOf(file.data);
  const refusal = file.data && storedRefusal(file.data);
  return (
    <Dialog
      title={visibleText(upload.metadata.streamTitle ?? upload.filename)}
      shape="wide"
      onClose={onClose}
      footer={
        <>
          {file.data?.playlistDownloadUrl !== undefined && (
            <Button icon={<ListVideo />} onClick={() => void downloadPlaylist(fileKey)}>
              Download playlist
            </Button>
          )}
          <Button
            icon={<Download />}
            disabledReason={refusal}
            onClick={() => void downloadStoredFile(fileKey)}
          >
            Download
          </Button>
        </>
      }
    >
      {file.isError && <DialogError>{messageOf(file.error)}</DialogError>}
      {file.isSuccess && source === undefined && (
        <DialogError>
          {refusal ?? "This file can't be played in the browser. Download it instead."}
        </DialogError>
      )}
      <VideoPlayer source={source} title={upload.filename} />
    </Dialog>
  );
}
