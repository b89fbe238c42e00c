import { COMMENTS_PER_PAGE, makeVod, type VodDraft } from "./vod-draft.ts";
import {
  mp4Ladder,
  multiInitLadder,
  portraitLadder,
  publicLadder,
  syntheticLadder,
  tsLadder,
  unavailable1440p,
} from "./ladders.ts";
import type { Rendition, Vod } from "./vod.ts";

/** A VOD created by a test. Without `segmentSizeBytes` it has real, playable media. */
export type CustomVod = Pick<
  VodDraft,
  | "ownerId"
  | "title"
  | "createdAt"
  | "type"
  | "streamId"
  | "segmentCount"
  | "muted"
  | "growing"
  | "paceBytesPerSecond"
> & {
  /** The source is withheld from anonymous viewers; `portrait`: a vertical crop is not. */
  readonly withheldSource?: "landscape" | "portrait";
  readonly container?: "ts" | "fmp4" | "multi-init-fmp4";
  /** Of TS, rounded up to whole packets. A list repeats if the VOD has more segments. */
  readonly segmentSizeBytes?: number | readonly number[];
  readonly byteRangePlaylist?: boolean;
  readonly startOffsetPlaylist?: boolean;
  readonly commentsPerMinute?: number;
  readonly commentsPerPage?: number;
  readonly raidAtSec?: number;
  readonly nullCommentsTimes?: number;
};

export function makeCustomVod(id: string, custom: CustomVod, nowMs: number): Vod {
  const {
    container = "ts",
    segmentSizeBytes,
    byteRangePlaylist = false,
    startOffsetPlaylist = false,
    commentsPerMinute = 12,
    commentsPerPage = COMMENTS_PER_PAGE,
    nullCommentsTimes = 0,
    raidAtSec,
    withheldSource,
    ...draft
  } = custom;
  const hasManyInits = container === "multi-init-fmp4";
  return makeVod(
    id,
    {
      ...draft,
      renditions:
        withheldSource === undefined
          ? ladderOf(id, container, segmentSizeBytes)
          : withheldSource === "portrait"
            ? portraitLadder()
            : publicLadder(),
      unavailable: withheldSource === undefined ? [] : [unavailable1440p],
      discontinuityAt: hasManyInits ? [Math.ceil((custom.segmentCount ?? 6) / 2)] : [],
      newInitAtDiscontinuity: hasManyInits,
      playlistForm: byteRangePlaylist
        ? "byte-range"
        : startOffsetPlaylist
          ? "start-offset"
          : "files",
      chat: {
        commentsPerMinute,
        commentsPerPage,
        nullCommentsTimes,
        ...(raidAtSec === undefined ? {} : { raidAtSec }),
      },
    },
    nowMs,
  );
}

function ladderOf(
  vodId: string,
  container: NonNullable<CustomVod["container"]>,
  segmentSizeBytes: CustomVod["segmentSizeBytes"],
): readonly Rendition[] {
  if (container === "fmp4") return mp4Ladder();
  if (container === "multi-init-fmp4") return multiInitLadder();
  return segmentSizeBytes === undefined
    ? tsLadder()
    : syntheticLadder({ vodId, segmentSizeBytes, segmentDurationSec: 10 });
}
