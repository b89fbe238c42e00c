import { Download, FileVideo, Link as LinkIcon, Scissors, SkipBack } from "lucide-react";
import type { StoredFile } from "#contract/files.ts";
import { storedRefusal } from "#console/domain/files/file-words.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import { saveAsMp4 } from "#console/mp4/save-stored.ts";
import { mayBecomeMp4 } from "#console/lib/playable.ts";
import { Button } from "#console/ui/button.tsx";
import { copyText } from "#console/ui/copy-text.ts";
import { toast } from "#console/ui/toast-store.ts";

/** What can be done with the video besides watching it. */
export function WatchActions({
  file,
  addressNow,
  onStartOver,
  clipping,
  onClip,
}: {
  readonly file: StoredFile;
  /** The address of this page at the time that is shown. */
  readonly addressNow: () => string;
  /** Undefined if the video did not continue where it was left. */
  readonly onStartOver: (() => void) | undefined;
  readonly clipping: boolean;
  /** Opens or closes the clip editor; undefined if nothing can be played. */
  readonly onClip: (() => void) | undefined;
}) {
  const refusal = storedRefusal(file);
  return (
    <>
      {onStartOver !== undefined && (
        <Button icon={<SkipBack />} onClick={onStartOver}>
          Start over
        </Button>
      )}
      <Button
        icon={<LinkIcon />}
        onClick={() => void copyText(addressNow(), () => toast.success("Link copied"))}
      >
        Copy link at this time
      </Button>
      {onClip !== undefined && (
        <Button icon={<Scissors />} aria-expanded={clipping} onClick={onClip}>
          Make a clip
        </Button>
      )}
      <Button
        icon={<Download />}
        disabledReason={refusal}
        onClick={() => void downloadStoredFile(file.key)}
      >
        Download
      </Button>
      {file.playlistDownloadUrl !== undefined && (
        <Button
          icon={<Download />}
          onClick={() => void downloadStoredFile(file.key, "playlistDownloadUrl")}
        >
          Download playlist
        </Button>
      )}
      {mayBecomeMp4(file) && (
        <Button
          icon={<FileVideo />}
          disabledReason={refusal}
          onClick={() => void saveAsMp4(file.key)}
        >
          Save as MP4
        </Button>
      )}
    </>
  );
}
