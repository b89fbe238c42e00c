import type { Growth, Vod } from "./vod.ts";
import { tsLadder } from "./ladders.ts";

/** Fields that differ from the default: a finished one-minute TS archive of the streamer. */
export type VodDraft = Partial<
  Omit<
    Vod,
    | "id"
    | "servedSegments"
    | "nullCommentsGiven"
    | "nullTokensGiven"
    | "muteRound"
    | "muted"
    | "gaps"
    | "growth"
  >
> & {
  readonly muted?: readonly number[];
  readonly gaps?: readonly number[];
  readonly growing?: GrowthDraft;
};

type GrowthDraft = Partial<Omit<Growth, "startedAt" | "endedAt" | "totalSegments">>;

const DEMO_OWNER_ID = "1005";
export const calmFlying = { id: "512953", name: "Calm Flight Simulator" } as const;

export function makeVod(id: string, draft: VodDraft, nowMs: number): Vod {
  const totalSegments = draft.segmentCount ?? 6;
  const growing = draft.growing;
  const growth: Growth | null =
    growing === undefined
      ? null
      : {
          totalSegments,
          initialSegments: growing.initialSegments ?? 1,
          segmentEveryMs: growing.segmentEveryMs ?? null,
          tailSegments: growing.tailSegments ?? 0,
          tailLagMs: growing.tailLagMs ?? 0,
          mutedAfterEnd: growing.mutedAfterEnd ?? [],
          muteLagMs: growing.muteLagMs ?? 0,
          startedAt: null,
          endedAt: null,
        };
  const title = draft.title ?? `VOD ${id}`;
  return {
    ownerId: DEMO_OWNER_ID,
    title,
    description: "",
    createdAt: nowMs - 86_400_000,
    viewCount: 100,
    language: "en",
    type: "archive",
    streamId: `4${id.slice(-9)}`,
    games: [calmFlying],
    renditions: draft.renditions ?? tsLadder(),
    unavailable: [],
    segmentDurationSec: 10,
    firstSegmentNumber: 0,
    playlistForm: "files",
    discontinuityAt: [],
    newInitAtDiscontinuity: false,
    restriction: "none",
    vanishAfterSegments: null,
    paceBytesPerSecond: null,
    chat: { commentsPerMinute: 12, nullCommentsTimes: 0 },
    nullTokensTimes: 0,
    faults: [],
    hasThumbnail: true,
    ...draft,
    id,
    segmentCount: growth === null ? totalSegments : growth.initialSegments,
    status: growth === null ? "RECORDED" : "RECORDING",
    gaps: new Set(draft.gaps ?? []),
    muted: new Set(draft.muted ?? []),
    muteRound: draft.muted === undefined || draft.muted.length === 0 ? 0 : 1,
    growth,
    servedSegments: new Set(),
    nullCommentsGiven: 0,
    nullTokensGiven: 0,
  };
}
