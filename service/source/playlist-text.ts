import { SourceError } from "./source-error.ts";

/** Twice the 5 MB of 48 hours in segments of 4 s with 100-character addresses. */
export const MAX_PLAYLIST_BYTES = 10 * 1024 * 1024;

/** A list of ten renditions and ten withheld ones has about 20 kB. */
export const MAX_MASTER_PLAYLIST_BYTES = 1024 * 1024;

/**
 * The lines of a playlist, trimmed and without the byte order mark; indices are line numbers minus
 * one. A text that is no playlist (an HTML page, an empty body) is `try_later`, because failing
 * edge servers send it.
 */
export function readPlaylistLines(text: string, maxBytes: number): readonly string[] {
  if (text.length > maxBytes) {
    throw new SourceError(
      "source_corrupt",
      `The playlist is larger than ${maxBytes / 1024 / 1024} MB.`,
    );
  }
  const lines = text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim());
  if (!/^#EXTM3U(?:\s|$)/.test(lines[0] ?? "")) {
    throw new SourceError("try_later", "The source sent something that is not a playlist.");
  }
  return lines;
}

/** A fault in a playlist's text, which a retry would not fix. */
export function playlistFault(lineIndex: number, fault: string): SourceError {
  return new SourceError("source_corrupt", `Line ${lineIndex + 1} of the playlist ${fault}.`);
}

/** Quotes text of the source, shortened for an error message. */
export function quoteBriefly(text: string): string {
  return `“${text.length > 40 ? `${text.slice(0, 40)}…` : text}”`;
}

/** The text after the tag's colon, or null if the line has another tag. */
export function tagValue(line: string, tag: string): string | null {
  if (!line.startsWith(tag)) return null;
  if (line.length === tag.length) return "";
  return line[tag.length] === ":" ? line.slice(tag.length + 1) : null;
}
