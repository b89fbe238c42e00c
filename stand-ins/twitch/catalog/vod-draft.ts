import { noClaims } from "./claims.ts";
import type { Vod } from "./vod.ts";
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
    | "claims"
    | "muted"
    | "gaps"
  >
> & {
  readonly muted?: readonly number[];
  readonly gaps?: readonly number[];
  /** A running broadcast, which grows when it is told to. */
  readonly growing?: { readonly initialSegments?: number };
};

const DEMO_OWNER_ID = "1005";
/** Twitch's pages contain 50 to 100 comments (docs/twitch.md#chat-replay, unverified). */
export const COMMENTS_PER_PAGE = 60;

export const calmFlying = { id: "512953", name: "Calm Flight Simulator" } as const;

export function makeVod(id: string, draft: VodDraft, nowMs: number): Vod {
  const { growing, segmentCount = 6, gaps = [], muted = [], ...fields } = draft;
  return {
    ownerId: DEMO_OWNER_ID,
    title: `VOD ${id}`,
    createdAt: nowMs - 86_400_000,
    type: "archive",
    streamId: `4${id.slice(-9)}`,
    games: [calmFlying],
    renditions: tsLadder(),
    unavailable: [],
    segmentDurationSec: 10,
    firstSegmentNumber: 0,
    playlistForm: "files",
    discontinuityAt: [],
    newInitAtDiscontinuity: false,
    restriction: "none",
    vanishAfterSegments: null,
    paceBytesPerSecond: null,
    chat: { commentsPerMinute: 12, commentsPerPage: COMMENTS_PER_PAGE, nullCommentsTimes: 0 },
    nullTokensTimes: 0,
    faults: [],
    ...fields,
    id,
    segmentCount: growing === undefined ? segmentCount : (growing.initialSegments ?? 1),
    status: growing === undefined ? "RECORDED" : "RECORDING",
    gaps: new Set(gaps),
    muted: new Set(muted),
    removedRenditions: new Set(),
    muteRound: muted.length === 0 ? 0 : 1,
    servedSegments: new Set(),
    nullCommentsGiven: 0,
    nullTokensGiven: 0,
    claims: noClaims(),
  };
}
