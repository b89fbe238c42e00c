import type { StoredFile, UploadType } from "#contract/files.ts";

/**
 * Whether browsers may play it. An archive of a VOD always has a playlist; of other files only the
 * name is known here. A TS file has a playlist unless it is manual.
 */
export function mayPlay(type: UploadType, filename: string): boolean {
  const isTs = type === "url" && filename.endsWith(".ts");
  return type === "twitch" || isTs || /\.(?:mp4|m4v|mov|webm)$/i.test(filename);
}

/** Archived videos, and uploads of other video formats than MP4. */
export function mayBecomeMp4({
  uploadType,
  filename,
}: Pick<StoredFile, "uploadType" | "filename">): boolean {
  if (uploadType === "twitch" || uploadType === "url") return true;
  return uploadType === "manual" && /\.(?:ts|mov|mkv|webm)$/i.test(filename ?? "");
}
