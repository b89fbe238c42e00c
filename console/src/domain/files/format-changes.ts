import type { StoredFile } from "#contract/files.ts";

/** The note for a file whose format changes midway, or undefined. */
export function formatChangesOf({ metadata }: Pick<StoredFile, "metadata">): string | undefined {
  const { initSegments } = metadata;
  if (typeof initSegments !== "number" || initSegments < 2) return undefined;
  const times = initSegments === 2 ? "once" : `${initSegments - 1} times`;
  return `The format of this video changes ${times}. Many players, including ffmpeg and mpv, fail at the change; HLS players can play all of it from its playlist, saved in the same folder.`;
}
