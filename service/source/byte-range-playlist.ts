import type { ByteRange } from "#service/ports/object-store.ts";

/** One segment's place in the stored object. */
export type ByteRangeEntry = {
  readonly durationSec: number;
  readonly offset: number;
  readonly length: number;
  /** Range of the init section that this fragment needs; null for MPEG-TS. */
  readonly init: ByteRange | null;
  readonly startsDiscontinuity: boolean;
  /** The segment is not stored; `offset` and `length` are ignored. */
  readonly isGap: boolean;
};

export type ByteRangePlaylist = {
  /** URI of the object relative to the playlist. */
  readonly objectUri: string;
  readonly targetDurationSec: number;
  readonly entries: readonly ByteRangeEntry[];
};

/** Characters that need no escape in a URI (RFC 3986 section 2), and `%` for escapes. */
const uriRe = /^[A-Za-z0-9._~!$&'()*+,;=:@%/?-]{1,2048}$/;

/**
 * Writes the playlist beside a stored object, so that the object can be played with seeking
 * (RFC 8216 sections 4.3.2 and 4.3.3; EXT-X-GAP: draft-pantos-hls-rfc8216bis section 4.4.4.7).
 *
 * A gap has a URI that does not exist: a player that does not know EXT-X-GAP then skips one segment
 * instead of loading the whole object. It ends like the object, since ffmpeg refuses playlists with
 * other endings.
 * @throws {RangeError} for input that no playlist can express
 */
export function writeByteRangePlaylist(playlist: ByteRangePlaylist): string {
  const { objectUri, entries } = playlist;
  if (!uriRe.test(objectUri))
    throw new RangeError("The object key has characters that are not allowed");
  const longestSec = entries.reduce((sec, entry) => Math.max(sec, entry.durationSec), 0);
  const lines = [
    "#EXTM3U",
    `#EXT-X-VERSION:${versionFor(entries)}`,
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.ceil(playlist.targetDurationSec), Math.round(longestSec))}`,
    "#EXT-X-PLAYLIST-TYPE:VOD",
    "#EXT-X-MEDIA-SEQUENCE:0",
  ];
  const ending = /\.\w+$/.exec(objectUri)?.[0] ?? "";
  let init: ByteRange | null = null;
  for (const entry of entries) {
    requireWritable(entry);
    if (entry.startsDiscontinuity) lines.push("#EXT-X-DISCONTINUITY");
    if (!entry.isGap && !isSameRange(entry.init, init)) {
      if (entry.init === null) throw new RangeError("MPEG-TS cannot follow fragmented MP4");
      lines.push(`#EXT-X-MAP:URI="${objectUri}",BYTERANGE="${rangeText(entry.init)}"`);
      init = entry.init;
    }
    lines.push(`#EXTINF:${entry.durationSec.toFixed(6)},`);
    if (entry.isGap) lines.push("#EXT-X-GAP", `gap${ending}`);
    else lines.push(`#EXT-X-BYTERANGE:${rangeText(entry)}`, objectUri);
  }
  lines.push("#EXT-X-ENDLIST");
  return `${lines.join("\n")}\n`;
}

/** The lowest version that supports the tags used (RFC 8216 section 7). */
function versionFor(entries: readonly ByteRangeEntry[]): number {
  if (entries.some((entry) => entry.isGap)) return 8;
  return entries.some((entry) => entry.init !== null) ? 6 : 4;
}

function requireWritable(entry: ByteRangeEntry): void {
  if (!(entry.durationSec >= 0 && entry.durationSec < 1e6))
    throw new RangeError(`A segment cannot last ${entry.durationSec} s`);
  if (!entry.isGap && !isRange(entry)) throw new RangeError("A segment has no byte range");
  if (entry.init !== null && !isRange(entry.init))
    throw new RangeError("An init section has no byte range");
}

function isRange({ offset, length }: ByteRange): boolean {
  return Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(length) && length > 0;
}

function isSameRange(one: ByteRange | null, other: ByteRange | null): boolean {
  return one?.offset === other?.offset && one?.length === other?.length;
}

function rangeText({ offset, length }: ByteRange): string {
  return `${length}@${offset}`;
}
