import { getFile, objectKeySchema, type StoredFile } from "#contract/files.ts";
import { call } from "#console/lib/api-client.ts";
import { startDownload } from "#console/lib/download.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

/** The note for a file whose format changes midway, or undefined. */
export function formatChangesOf({ metadata }: Pick<StoredFile, "metadata">): string | undefined {
  const { initSegments } = metadata;
  if (typeof initSegments !== "number" || initSegments < 2) return undefined;
  const times = initSegments === 2 ? "once" : `${initSegments - 1} times`;
  return `The format of this video changes ${times}. Many players, including ffmpeg and mpv, fail at the change; HLS players can play all of it from its playlist, saved in the same folder.`;
}

/** Downloads the playlist of a file whose format changes; players need it to follow the changes. */
export async function downloadPlaylist(fileKey: string): Promise<void> {
  try {
    const { playlistDownloadUrl } = await call(getFile, {
      params: { key: objectKeySchema.parse(fileKey) },
      query: { download: true },
    });
    if (playlistDownloadUrl === undefined) toast.error("Download URL not available");
    else startDownload(playlistDownloadUrl);
  } catch {
    toastError("Failed to generate download URL");
  }
}
