import { replaceHidden } from "#service/hidden-characters.ts";
import { portableName } from "#service/portable-name.ts";
import { lastSegment } from "./last-segment.ts";
import type { FileRow } from "./file-row.ts";

/** Leaves room for a folder within the 255 bytes that file systems allow, and for an ending. */
const MAX_NAME_BYTES = 180;

/**
 * The name under which a file is saved. That of a VOD tells the channel, the day on which the broadcast
 * began (UTC), the title and the id: safe on every system, and at most {@link MAX_NAME_BYTES} bytes, for
 * which its title is shortened. Others keep the name that they have, or the last part of the key.
 */
export function downloadNameOf(file: FileRow): string {
  const name = file.filename ?? lastSegment(file.key);
  const { title } = file.metadata;
  if (file.uploadType !== "twitch" || typeof title !== "string" || file.recordedAt === null)
    return name;
  const extension = /\.\w+$/.exec(name)?.[0] ?? "";
  // A character has at least one byte.
  const characters = Array.from(replaceHidden(title, "").replaceAll(/\s+/g, " ")).slice(
    0,
    MAX_NAME_BYTES,
  );
  for (let length = characters.length; ; length -= 1) {
    const login = file.username ?? file.userId ?? "";
    const day = file.recordedAt.slice(0, 10);
    const shortened = characters.slice(0, length).join("");
    const text = `${login} - ${day} - ${shortened} [${file.vodId ?? ""}]`;
    const stem = portableName(replaceHidden(text, "").replaceAll(/\s+/g, " "));
    if (sizeOf(stem + extension) <= MAX_NAME_BYTES) return stem + extension;
    if (length === 0) return name;
  }
}

/** The playlist that is saved beside a file. */
export function playlistNameOf(file: FileRow): string {
  return `${downloadNameOf(file).replace(/\.(ts|mp4)$/, "")}.m3u8`;
}

export function chatNameOf(file: FileRow, ending: string): string {
  return downloadNameOf(file).replace(/\.\w+$/, "") + ending;
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
