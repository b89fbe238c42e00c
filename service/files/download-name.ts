import { portableName, shorten } from "#service/portable-name.ts";
import { lastSegment } from "./last-segment.ts";
import type { FileRow } from "./file-row.ts";

/** Leaves room for a folder within the 255 bytes that file systems allow, and for an ending. */
const MAX_NAME_BYTES = 180;

/**
 * The name under which a file is saved. That of a VOD tells the channel, the day on which the broadcast
 * began (UTC), the title and the id; others keep theirs, or the last part of the key. All are safe on
 * every system, and have at most {@link MAX_NAME_BYTES} bytes.
 */
export function downloadNameOf(file: FileRow): string {
  const own = file.filename ?? lastSegment(file.key);
  const extension = /\.\w{1,8}$/.exec(own)?.[0] ?? "";
  const nameOf = (stem: string) => portableName(stem) + extension;
  const { title } = file.metadata;
  if (file.uploadType !== "twitch" || typeof title !== "string" || file.recordedAt === null)
    return shorten(own.slice(0, own.length - extension.length), MAX_NAME_BYTES, nameOf);
  const start = `${file.username ?? file.userId ?? ""} - ${file.recordedAt.slice(0, 10)}`;
  return shorten(title, MAX_NAME_BYTES, (short) =>
    nameOf(`${start} - ${short} [${file.vodId ?? ""}]`),
  );
}

/** The playlist that is saved beside a file. */
export function playlistNameOf(file: FileRow): string {
  return `${downloadNameOf(file).replace(/\.(ts|mp4)$/, "")}.m3u8`;
}

export function chatNameOf(file: FileRow, ending: string): string {
  return downloadNameOf(file).replace(/\.\w+$/, "") + ending;
}
