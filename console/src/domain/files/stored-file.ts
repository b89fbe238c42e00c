import { getFile, type ObjectKey, type StoredFile } from "#contract/files.ts";
import { call } from "#console/lib/api-client.ts";
import { startDownload } from "#console/lib/download.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

/** A byte-range playlist, or a video file that the browser plays natively. */
type VideoSource = { readonly kind: "playlist" | "file"; readonly url: string };

/** How a file plays in the browser, or undefined if it does not. */
export function videoSourceOf({ playlistUrl, videoUrl }: StoredFile): VideoSource | undefined {
  if (playlistUrl !== undefined) return { kind: "playlist", url: playlistUrl };
  return videoUrl === undefined ? undefined : { kind: "file", url: videoUrl };
}

/** The file, or the playlist that players need to follow its changes of format. */
export async function downloadStoredFile(
  key: ObjectKey,
  which: "downloadUrl" | "playlistDownloadUrl" = "downloadUrl",
): Promise<void> {
  try {
    const file = await call(getFile, { params: { key }, query: { download: true } });
    const url = file[which];
    if (url === undefined) {
      toast.error("Download URL not available");
      return;
    }
    startDownload(url);
    if (url === file.playlistDownloadUrl || file.playlistDownloadUrl === undefined) return;
    const { formatChangesOf } = await import("./format-changes.ts");
    toast.info(formatChangesOf(file) ?? "");
  } catch {
    toastError("Failed to generate download URL");
  }
}
