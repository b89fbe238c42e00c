import type { ByteRange } from "#service/ports/object-store.ts";
import { SourceError, LeadsAway } from "./source-error.ts";
import { parseAttributeList } from "./attribute-list.ts";
import type { InitSection, MediaPlaylist, MediaSegment } from "./media-playlist.ts";
import {
  MAX_PLAYLIST_BYTES,
  playlistFault,
  quoteBriefly,
  readPlaylistLines,
  tagValue,
} from "./playlist-text.ts";

/** 48 hours of one-second segments. */
const MAX_SEGMENTS = 172_800;

/** Relative addresses are short in the text, but each becomes as long as the playlist's own. */
const MAX_ADDRESS_CHARACTERS = 4 * MAX_PLAYLIST_BYTES;

/** A day; Twitch's segments last 10 s. */
const MAX_SEGMENT_SEC = 86_400;

/** Unsupported tags that change which bytes belong to the VOD; such a playlist is refused. */
const UNSUPPORTED_TAGS: readonly (readonly [string, string])[] = [
  ["#EXT-X-STREAM-INF", "belongs to a list of renditions, not to one rendition's playlist"],
  ["#EXT-X-I-FRAMES-ONLY", "says that only key frames are listed"],
  ["#EXT-X-SKIP", "leaves segments out that an earlier version listed"],
  ["#EXT-X-DEFINE", "uses variables, which is not supported"],
];

/** `<length>[@<offset>]`; without an offset it follows the range before it in the same resource. */
type ByteRangeTag = { readonly length: number; readonly offset: number | null };

/** Tags seen so far for the segment of the next URI. */
type NextSegment = {
  durationSec: number | null;
  rangeTag: ByteRangeTag | null;
  startsDiscontinuity: boolean;
  isGap: boolean;
};

/**
 * Parses a media playlist (RFC 8216 section 4.3, and EXT-X-GAP of its second edition) as Twitch
 * writes it: MPEG-TS or fragmented MP4 with any number of EXT-X-MAP, ended or still growing.
 * Unknown tags are ignored.
 *
 * An ambiguous playlist is refused, because a wrong guess would leave a hole in the archive.
 * @param playlistUrl address of the playlist; segments must be on the same host
 * @throws {SourceError}
 */
export function parseMediaPlaylist(text: string, playlistUrl: string): MediaPlaylist {
  const base = URL.parse(playlistUrl);
  if (base === null) throw new SourceError("source_corrupt", "The playlist has no valid address.");
  const reader = new MediaPlaylistReader(base);
  for (const [lineIndex, line] of readPlaylistLines(text, MAX_PLAYLIST_BYTES))
    reader.read(line, lineIndex);
  return reader.finish();
}

class MediaPlaylistReader {
  readonly #base: URL;
  readonly #segments: MediaSegment[] = [];
  readonly #inits: InitSection[] = [];
  #next = freshSegment();
  #targetDurationSec = 0;
  #isEnded = false;
  #rangeBefore: { url: string; end: number } | null = null;
  #addressCharacters = 0;

  constructor(base: URL) {
    this.#base = base;
  }

  read(line: string, lineIndex: number): void {
    if (!line.startsWith("#")) return this.#addSegment(line, lineIndex);
    if (!line.startsWith("#EXT")) return;
    const duration = tagValue(line, "#EXTINF");
    if (duration !== null) {
      this.#next.durationSec = parseDuration(duration, lineIndex);
      return;
    }
    this.#readRarerTag(line, lineIndex);
  }

  #readRarerTag(line: string, lineIndex: number): void {
    const [tag = ""] = line.split(":", 1);
    const value = tagValue(line, tag) ?? "";
    switch (tag) {
      case "#EXT-X-TARGETDURATION":
        this.#targetDurationSec = parseDuration(value, lineIndex);
        return;
      case "#EXT-X-BYTERANGE":
        this.#next.rangeTag = parseRange(value, lineIndex);
        return;
      case "#EXT-X-DISCONTINUITY":
        this.#next.startsDiscontinuity = true;
        return;
      case "#EXT-X-GAP":
        this.#next.isGap = true;
        return;
      case "#EXT-X-MAP":
        this.#addInit(value, lineIndex);
        return;
      case "#EXT-X-KEY":
        if (parseAttributeList(value).get("METHOD") !== "NONE")
          throw playlistFault(lineIndex, "says that the segments are encrypted");
        return;
      case "#EXT-X-ENDLIST":
        this.#isEnded = true;
        return;
      default: {
        const unsupported = UNSUPPORTED_TAGS.find(([name]) => name === tag);
        if (unsupported !== undefined) throw playlistFault(lineIndex, unsupported[1]);
      }
    }
  }

  /** Ignores a repetition of the current map; any other map starts a new init section. */
  #addInit(value: string, lineIndex: number): void {
    const attributes = parseAttributeList(value);
    const uri = attributes.get("URI");
    if (uri === undefined || uri === "") throw playlistFault(lineIndex, "names no init section");
    const range = attributes.get("BYTERANGE");
    const tag = range === undefined ? null : parseRange(range, lineIndex);
    const init: InitSection = {
      url: this.#resolve(uri, lineIndex).url,
      byteRange: tag === null ? null : { offset: tag.offset ?? 0, length: tag.length },
    };
    const current = this.#inits.at(-1);
    if (current === undefined || !isSameInit(current, init)) this.#inits.push(init);
  }

  #addSegment(uri: string, lineIndex: number): void {
    const next = this.#next;
    this.#next = freshSegment();
    if (next.durationSec === null)
      throw playlistFault(lineIndex, "names a segment without its duration");
    if (this.#segments.length === MAX_SEGMENTS)
      throw playlistFault(lineIndex, `is past ${MAX_SEGMENTS} segments, more than any VOD has`);
    const address = this.#resolve(uri, lineIndex);
    this.#segments.push({
      index: this.#segments.length,
      url: address.url,
      durationSec: next.durationSec,
      byteRange:
        next.rangeTag === null
          ? address.byteRange
          : this.#placeRange(next.rangeTag, address.url, lineIndex),
      initIndex: this.#inits.length === 0 ? null : this.#inits.length - 1,
      startsDiscontinuity: next.startsDiscontinuity,
      isGap: next.isGap,
      isMuted: address.isMuted,
    });
  }

  #resolve(uri: string, lineIndex: number): SegmentAddress {
    const address = resolveSegmentAddress(uri, this.#base, lineIndex);
    this.#addressCharacters += address.url.length;
    if (this.#addressCharacters > MAX_ADDRESS_CHARACTERS)
      throw playlistFault(
        lineIndex,
        `is past ${MAX_ADDRESS_CHARACTERS / 1024 / 1024} MB of addresses, more than any VOD has`,
      );
    return address;
  }

  #placeRange(tag: ByteRangeTag, url: string, lineIndex: number): ByteRange {
    const follows = this.#rangeBefore?.url === url ? this.#rangeBefore.end : null;
    const offset = tag.offset ?? follows;
    if (offset === null)
      throw playlistFault(lineIndex, "has a byte range that follows no other in its file");
    const end = offset + tag.length;
    if (!Number.isSafeInteger(end)) throw playlistFault(lineIndex, "has a byte range without end");
    this.#rangeBefore = { url, end };
    return { offset, length: tag.length };
  }

  finish(): MediaPlaylist {
    if (this.#isEnded && this.#segments.length === 0)
      throw new SourceError("source_corrupt", "The playlist ends without a single segment.");
    if (this.#next.durationSec !== null)
      throw new SourceError("try_later", "The playlist breaks off in the middle of a segment.");
    const longestSec = this.#segments.reduce((sec, one) => Math.max(sec, one.durationSec), 0);
    return {
      targetDurationSec: Math.max(this.#targetDurationSec, Math.round(longestSec)),
      isEnded: this.#isEnded,
      inits: this.#inits,
      segments: this.#segments,
    };
  }
}

function freshSegment(): NextSegment {
  return { durationSec: null, rangeTag: null, startsDiscontinuity: false, isGap: false };
}

function parseDuration(text: string, lineIndex: number): number {
  const match = /^\s*(\d{1,6}(?:\.\d{0,20})?)\s*(?:,|$)/.exec(text);
  const sec = Number(match?.[1] ?? Number.NaN);
  if (!(sec <= MAX_SEGMENT_SEC))
    throw playlistFault(lineIndex, `has ${quoteBriefly(text)} where a duration was due`);
  return sec;
}

/** RFC 8216 section 4.3.2.2 */
function parseRange(text: string, lineIndex: number): ByteRangeTag {
  const match = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(text.trim());
  const length = Number(match?.[1] ?? 0);
  if (length === 0)
    throw playlistFault(lineIndex, `has ${quoteBriefly(text)} where a byte range was due`);
  return { length, offset: match?.[2] === undefined ? null : Number(match[2]) };
}

function isSameInit(one: InitSection, other: InitSection): boolean {
  return (
    one.url === other.url &&
    one.byteRange?.offset === other.byteRange?.offset &&
    one.byteRange?.length === other.byteRange?.length
  );
}

type SegmentAddress = {
  readonly url: string;
  /** From Twitch's old `?start_offset&end_offset`; null when the address has none. */
  readonly byteRange: ByteRange | null;
  readonly isMuted: boolean;
};

/**
 * Resolves a segment's URI. It must have the playlist's origin, where Twitch always keeps segments,
 * so that a playlist cannot refer to other hosts.
 *
 * `-unmuted` names become `-muted` ones, because the former always answer 403
 * (docs/twitch.md#muted-segments).
 * @throws {LeadsAway} for another origin
 * @throws {SourceError} for an invalid address
 */
function resolveSegmentAddress(uri: string, playlistUrl: URL, lineIndex: number): SegmentAddress {
  const url = URL.parse(uri, playlistUrl.href);
  if (url === null) throw playlistFault(lineIndex, `has no readable address: ${quoteBriefly(uri)}`);
  if (url.origin !== playlistUrl.origin || url.username !== "" || url.password !== "")
    throw new LeadsAway(
      playlistFault(lineIndex, "leads away from the playlist's own host").message,
      url,
    );
  url.hash = "";
  const isMuted = uri.includes("muted") && toMutedName(url);
  const byteRange = uri.includes("start_offset=") ? takeOffsets(url, lineIndex) : null;
  return { url: url.href, byteRange, isMuted };
}

function toMutedName(url: URL): boolean {
  url.pathname = url.pathname.replace(/-unmuted(?=\.[A-Za-z0-9]+$)/, "-muted");
  return /-muted\.[A-Za-z0-9]+$/.test(url.pathname);
}

/**
 * VODs of 2015 and 2016 specify a range of a larger file in the query, with both ends inclusive
 * (`start_offset=0&end_offset=1937903` are 10,308 whole TS packets). The same bytes are requested
 * with a Range header instead, so that the server need not support the query.
 */
function takeOffsets(url: URL, lineIndex: number): ByteRange | null {
  const start = url.searchParams.get("start_offset");
  const end = url.searchParams.get("end_offset");
  if (start === null || end === null) return null;
  if (!/^\d{1,15}$/.test(start) || !/^\d{1,15}$/.test(end) || Number(end) < Number(start))
    throw playlistFault(lineIndex, "has offsets that are no range of bytes");
  url.searchParams.delete("start_offset");
  url.searchParams.delete("end_offset");
  return { offset: Number(start), length: Number(end) - Number(start) + 1 };
}
