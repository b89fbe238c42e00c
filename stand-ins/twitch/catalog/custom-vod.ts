import type { Container } from "../media/media-track.ts";
import { makeVod, type GrowthDraft, type VodDraft } from "./vod-draft.ts";
import { hevcLadder, mp4Ladder, multiInitLadder, syntheticLadder, tsLadder } from "./ladders.ts";
import type { Rendition, ScenarioFault, Vod } from "./vod.ts";

/** A VOD created by a test. Without `segmentSizeBytes` it has real, playable media. */
export type CustomVod = {
  readonly id?: string;
  readonly ownerId?: string;
  readonly title?: string;
  readonly type?: "archive" | "highlight" | "upload";
  readonly createdAt?: number;
  readonly viewCount?: number;
  readonly container?: "ts" | "fmp4" | "multi-init-fmp4" | "hevc-fmp4";
  readonly segmentCount?: number;
  /** A list repeats if the VOD has more segments. TS sizes are rounded up to whole packets. */
  readonly segmentSizeBytes?: number | readonly number[];
  readonly segmentDurationSec?: number;
  readonly firstSegmentNumber?: number;
  readonly discontinuityAt?: readonly number[];
  readonly muted?: readonly number[];
  readonly gaps?: readonly number[];
  readonly byteRangePlaylist?: boolean;
  readonly startOffsetPlaylist?: boolean;
  readonly growing?: GrowthDraft;
  readonly restriction?: "none" | "sub-only" | "geo";
  readonly vanishAfterSegments?: number;
  readonly paceBytesPerSecond?: number;
  readonly commentsPerMinute?: number;
  readonly nullCommentsTimes?: number;
  readonly faults?: readonly ScenarioFault[];
};

export function makeCustomVod(id: string, custom: CustomVod, nowMs: number): Vod {
  const container = custom.container ?? "ts";
  const discontinuityAt =
    custom.discontinuityAt ??
    (container === "multi-init-fmp4" ? [Math.ceil((custom.segmentCount ?? 6) / 2)] : []);
  const draft: VodDraft = {
    renditions: ladderOf(id, custom, container === "ts" ? "ts" : "fmp4"),
    discontinuityAt: discontinuityAt.toSorted((left, right) => left - right),
    newInitAtDiscontinuity: container === "multi-init-fmp4",
    playlistForm:
      custom.byteRangePlaylist === true
        ? "byte-range"
        : custom.startOffsetPlaylist === true
          ? "start-offset"
          : "files",
    ...given("ownerId", custom.ownerId),
    ...given("title", custom.title),
    ...given("type", custom.type),
    ...given("createdAt", custom.createdAt),
    ...given("viewCount", custom.viewCount),
    ...given("segmentCount", custom.segmentCount),
    ...given("segmentDurationSec", custom.segmentDurationSec),
    ...given("firstSegmentNumber", custom.firstSegmentNumber),
    ...given("muted", custom.muted),
    ...given("gaps", custom.gaps),
    ...given("growing", custom.growing),
    ...given("restriction", custom.restriction),
    ...given("vanishAfterSegments", custom.vanishAfterSegments),
    ...given("paceBytesPerSecond", custom.paceBytesPerSecond),
    ...given("faults", custom.faults),
    chat: {
      commentsPerMinute: custom.commentsPerMinute ?? 12,
      nullCommentsTimes: custom.nullCommentsTimes ?? 0,
    },
  };
  return makeVod(id, draft, nowMs);
}

function ladderOf(id: string, custom: CustomVod, container: Container): readonly Rendition[] {
  if (custom.segmentSizeBytes !== undefined) {
    return syntheticLadder({
      vodId: id,
      container,
      segmentSizeBytes: custom.segmentSizeBytes,
      segmentDurationSec: custom.segmentDurationSec ?? 10,
    });
  }
  switch (custom.container ?? "ts") {
    case "ts":
      return tsLadder();
    case "fmp4":
      return mp4Ladder();
    case "multi-init-fmp4":
      return multiInitLadder();
    default:
      return hevcLadder();
  }
}

/** Omits an undefined field, which would otherwise hide the default. */
function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [key in Name]?: Value } {
  const field: { [key in Name]?: Value } = {};
  if (value !== undefined) {
    field[name] = value;
  }
  return field;
}
