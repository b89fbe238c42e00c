import { SourceError } from "#service/twitch/source-error.ts";

/** 48 hours in segments of 4 s with 100-character addresses come to 5 MB; beyond twice that is abuse. */
export const MAX_PLAYLIST_BYTES = 10 * 1024 * 1024;

/** A list of ten renditions, with as many withheld ones, has some 20 kB. */
export const MAX_MASTER_PLAYLIST_BYTES = 1024 * 1024;

/**
 * The lines of a playlist, trimmed and without the byte order mark; indices are line numbers less
 * one. What is no playlist at all (an HTML page, an empty body) is worth another try, for it is
 * what an edge server in trouble sends.
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

/** A fault in a playlist's text; another try would meet it again. */
export function playlistFault(lineIndex: number, fault: string): SourceError {
  return new SourceError("source_corrupt", `Line ${lineIndex + 1} of the playlist ${fault}.`);
}

/** Text of the source, cut to what fits into a sentence. */
export function quoteBriefly(text: string): string {
  return `“${text.length > 40 ? `${text.slice(0, 40)}…` : text}”`;
}

/** What stands after the tag's colon, or null when the line is another tag. */
export function tagValue(line: string, tag: string): string | null {
  if (!line.startsWith(tag)) return null;
  if (line.length === tag.length) return "";
  return line[tag.length] === ":" ? line.slice(tag.length + 1) : null;
}
