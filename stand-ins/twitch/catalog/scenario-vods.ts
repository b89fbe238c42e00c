import type { Fault, NewFault } from "../faults/fault.ts";
import { hevcLadder, mp4Ladder, multiInitLadder, unavailable1440p } from "./ladders.ts";
import type { Vod } from "./vod.ts";
import { COMMENTS_PER_PAGE, makeVod, type VodDraft } from "./vod-draft.ts";

/**
 * The scenarios of stand-ins/twitch/README.md by VOD id: 2000001NNV, where NN is the scenario's
 * number and V its variant. Scenario 8 is 2000001080, which does not exist; 11, 12 and 16 are not VODs. All are short, so that a run of them is quick.
 */
const SCENARIO_OWNER_ID = "1008";

export function makeScenarioVods(nowMs: number): Vod[] {
  const drafts = scenarioDrafts();
  return Object.entries(drafts).map(([id, draft], position) =>
    makeVod(
      id,
      {
        ownerId: SCENARIO_OWNER_ID,
        segmentCount: 12,
        createdAt: nowMs - (position + 3) * 3_600_000,
        ...draft,
      },
      nowMs,
    ),
  );
}

function onGql(fault: Fault, times: number | "forever"): NewFault {
  return { match: { kind: "gql" }, fault, times };
}

function scenarioDrafts(): Record<string, VodDraft> {
  return {
    ...sourceForms(),
    ...refusals(),
    "2000001130": { title: "13: segments 4 and 5 are gone for good", gaps: [4, 5] },
    "2000001131": { title: "13: the last segment is gone for good", gaps: [11] },
    "2000001140": { title: "14: byte ranges into one file", playlistForm: "byte-range" },
    "2000001141": { title: "14: start_offset names of 2015", playlistForm: "start-offset" },
    "2000001150": {
      title: "15: comments are null twice, then there",
      chat: { commentsPerMinute: 60, commentsPerPage: COMMENTS_PER_PAGE, nullCommentsTimes: 2 },
    },
    "2000001152": {
      title: "15: GQL service timeout twice, then fine",
      faults: [onGql({ type: "gqlError", message: "service timeout" }, 2)],
    },
    "2000001153": {
      title: "15: no playback token for the first two requests",
      nullTokensTimes: 2,
    },
    "2000001154": {
      title: "15: persisted queries are unknown",
      faults: [
        {
          match: { kind: "gql", body: '"persistedQuery"' },
          fault: { type: "gqlError", message: "PersistedQueryNotFound" },
          times: "forever",
        },
      ],
    },
    "2000001155": {
      title: "15: GQL answers HTTP 500 twice",
      faults: [onGql({ type: "status", status: 500 }, 2)],
    },
  };
}

/** Scenarios 1 to 5 and 10: forms of healthy sources. */
function sourceForms(): Record<string, VodDraft> {
  return {
    "2000001010": { title: "1: TS ladder" },
    "2000001020": { title: "2: fMP4 with H.264", renditions: mp4Ladder() },
    "2000001030": {
      title: "3: HEVC source, 1440p only for viewers with an account",
      renditions: hevcLadder(),
      unavailable: [unavailable1440p],
    },
    "2000001040": {
      title: "4: reconnect with a new init segment",
      renditions: multiInitLadder(),
      discontinuityAt: [5],
      newInitAtDiscontinuity: true,
    },
    "2000001041": { title: "4: reconnect in a TS", discontinuityAt: [5] },
    "2000001043": {
      title: "4: three init segments",
      renditions: multiInitLadder(),
      discontinuityAt: [3, 8],
      newInitAtDiscontinuity: true,
    },
    "2000001050": { title: "5: muted", muted: [2, 3, 7] },
    "2000001051": { title: "5: muted fMP4", muted: [2, 3, 7], renditions: mp4Ladder() },
    "2000001052": {
      title: "5: muted highlight",
      type: "highlight",
      streamId: null,
      firstSegmentNumber: 40,
      muted: [1],
    },
    "2000001101": {
      title: "10: live until it is told to end",
      segmentCount: 30,
      growing: { initialSegments: 5 },
    },
  };
}

/** Scenarios 6 to 9. */
function refusals(): Record<string, VodDraft> {
  return {
    "2000001060": { title: "6: subscribers only", restriction: "sub-only" },
    "2000001070": { title: "7: blocked in this region", restriction: "geo" },
    "2000001090": { title: "9: deleted after six segments", vanishAfterSegments: 6 },
  };
}
