import type { UploadType } from "#contract/files.ts";

/**
 * Whether browsers may play it. An archive of a VOD always has a playlist; of other files only the
 * name is known here. A TS file has a playlist unless it is manual.
 */
export function mayPlay(type: UploadType, filename: string): boolean {
  const isTs = type === "url" && filename.endsWith(".ts");
  return type === "twitch" || isTs || /\.(?:mp4|m4v|mov|webm)$/i.test(filename);
}
