import { SourceError } from "./source-error.ts";

/** Twice the 5 MB of 48 hours in segments of 4 s with 100-character addresses. */
export const MAX_PLAYLIST_BYTES = 10 * 1024 * 1024;

/** A list of ten renditions and ten withheld ones has about 20 kB. */
export const MAX_MASTER_PLAYLIST_BYTES = 1024 * 1024;

/** Far above any line of Twitch's; the longest, of withheld renditions, have a few kB. */
const MAX_LINE_LENGTH = 64 * 1024;

/**
 * The lines of a playlist that are not blank, trimmed, with their index: the line's number minus
 * one. They are read one at a time, because millions of blank lines would fill the memory. A text
 * that is no playlist (an HTML page, an empty body) is `try_later`, because failing edge servers
 * send it.
 * @throws {SourceError}
 */
export function* readPlaylistLines(
  text: string,
  maxBytes: number,
): Generator<readonly [index: number, line: string]> {
  if (text.length > maxBytes) {
    throw new SourceError(
      "source_corrupt",
      `The playlist is larger than ${maxBytes / 1024 / 1024} MB.`,
    );
  }
  if (!/^\s*#EXTM3U(?:\s|$)/.test(text)) {
    throw new SourceError("try_later", "The source sent something that is not a playlist.");
  }
  for (const [index, line] of nonBlankLines(text)) {
    if (line.length > MAX_LINE_LENGTH)
      throw playlistFault(index, `is longer than ${MAX_LINE_LENGTH / 1024} KB`);
    yield [index, line];
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export function* nonBlankLines(text: string): Generator<readonly [index: number, line: string]> {
  let index = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? LINE_FEED : text.charCodeAt(at);
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue;
    if (at > from) {
      const line = text.slice(from, at).trim();
      if (line !== "") yield [index, line];
    }
    if (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED) at += 1;
    from = at + 1;
    index += 1;
  }
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
