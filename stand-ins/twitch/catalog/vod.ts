import type { Claims, TwitchPart } from "./claims.ts";
import type { NewFault } from "../faults/fault.ts";
import type { MediaTrack } from "../media/media-track.ts";

export type Rendition = {
  /**
   * The folder in media URLs and the v1 GROUP-ID; `chunked` is the source
   * (docs/twitch.md#master-playlists).
   */
  readonly groupId: string;
  readonly name: string;
  readonly codecs: string;
  readonly resolution: string | null;
  readonly framesPerSecond: number | null;
  readonly track: MediaTrack;
};

/** A rendition that the playlist only mentions: anonymous viewers cannot play it. */
export type UnavailableRendition = {
  readonly name: string;
  readonly codecs: string;
  readonly resolution: string;
  readonly framesPerSecond: number;
  readonly bandwidthBps: number;
};

/** How segments appear in the media playlist (docs/twitch.md#media-playlists). */
type PlaylistForm =
  /** One file per segment. */
  | "files"
  /** EXT-X-BYTERANGE into one file, as in September 2020. */
  | "byte-range"
  /** `index-….ts?start_offset=…&end_offset=…`, as in 2015 and 2016. */
  | "start-offset";

export type Vod = {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string;
  readonly createdAt: number;
  readonly type: "archive" | "highlight" | "upload";
  readonly streamId: string | null;
  readonly games: readonly Game[];
  readonly renditions: readonly Rendition[];
  readonly unavailable: readonly UnavailableRendition[];
  readonly segmentDurationSec: number;
  /** Highlights start with the number that their first segment had in the archive. */
  readonly firstSegmentNumber: number;
  readonly playlistForm: PlaylistForm;
  /** Indices of segments before which the timestamps restart. */
  readonly discontinuityAt: readonly number[];
  /** Whether a discontinuity has a new init segment. */
  readonly newInitAtDiscontinuity: boolean;
  /** Listed but permanently 403 (docs/twitch.md#restricted-and-gone). */
  readonly gaps: ReadonlySet<number>;
  readonly restriction: "none" | "sub-only" | "geo";
  /** The VOD disappears from the CDN and all APIs once this many segments were served. */
  readonly vanishAfterSegments: number | null;
  readonly paceBytesPerSecond: number | null;
  readonly chat: ChatShape;
  /** This many first requests for a playback token return null (docs/twitch.md#web-api). */
  readonly nullTokensTimes: number;
  /** Part of the scenario: clearing faults does not end them. */
  readonly faults: readonly NewFault[];
  segmentCount: number;
  status: "RECORDING" | "RECORDED";
  readonly muted: Set<number>;
  /** By group id: no longer offered, and their files are gone. */
  readonly removedRenditions: Set<string>;
  /** Part of the muted playlist's name; each later mute gives a new one. */
  muteRound: number;
  readonly servedSegments: Set<number>;
  nullCommentsGiven: number;
  nullTokensGiven: number;
  /** What each part of Twitch says instead of what is so. */
  readonly claims: Record<TwitchPart, Claims>;
};

type Game = { readonly id: string; readonly name: string };

type ChatShape = {
  readonly commentsPerMinute: number;
  readonly commentsPerPage: number;
  /** The comments of the minute from here on are all in this second. */
  readonly raidAtSec?: number;
  /** This many first requests return `comments: null` (docs/twitch.md#chat-replay). */
  readonly nullCommentsTimes: number;
};

export function durationSecOf(vod: Vod): number {
  return vod.segmentCount * vod.segmentDurationSec;
}

/** The duration that a part of Twitch states. */
export function statedDurationSec(vod: Vod, part: TwitchPart): number {
  return vod.claims[part].durationSec ?? durationSecOf(vod);
}

export function isLiveFor(vod: Vod, part: TwitchPart): boolean {
  return vod.claims[part].isLive ?? vod.status === "RECORDING";
}

/** The number of discontinuities at or before the segment, and its distance from the last one. */
export function placeInRanges(vod: Vod, index: number): { range: number; indexInRange: number } {
  let range = 0;
  let start = 0;
  for (const discontinuity of vod.discontinuityAt) {
    if (discontinuity <= index && discontinuity > 0) {
      range += 1;
      start = Math.max(start, discontinuity);
    }
  }
  return { range, indexInRange: index - start };
}

export function initRangeOf(vod: Vod, range: number): number {
  return vod.newInitAtDiscontinuity ? range : 0;
}

export function renditionOf(vod: Vod, groupId: string): Rendition {
  const found = vod.renditions.find((rendition) => rendition.groupId === groupId);
  if (found === undefined) throw new Error(`VOD ${vod.id} has no rendition ${groupId}`);
  return found;
}

/** The current bytes of a segment, muted or not. */
export function segmentBytes(vod: Vod, rendition: Rendition, index: number): Uint8Array {
  const { range, indexInRange } = placeInRanges(vod, index);
  return rendition.track.segment({ index, indexInRange, range, muted: vod.muted.has(index) });
}
