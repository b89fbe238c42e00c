import { describe, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { rebuildIndex } from "#service/proof/rebuild-index.ts";
import { COMPLETED, MINUTE_MS, openSourceCases, type SourceCase, whole } from "./source-case.ts";
import {
  all,
  claim,
  end,
  fault,
  grow,
  hide,
  missing,
  onceAsked,
  remove,
  there,
  whileAsked,
} from "./steps.ts";

const { context, run, test, upload: read } = await openSourceCases();

/** A broadcast that has just begun. */
const LIVE = { segmentSizeBytes: 20_000, growing: { initialSegments: 5 } };

const GONE = {
  status: "failed",
  failureClass: "gone_at_source",
  errorMessage: "Twitch no longer has this VOD.",
};
const waiting = (errorMessage: RegExp) => ({
  status: "processing",
  phase: "waiting",
  errorMessage: expect.stringMatching(errorMessage),
});
const CUT_OFF = {
  status: "failed",
  failureClass: "gone_at_source",
  fileStatus: "partial",
  errorMessage: expect.stringMatching(
    /^Twitch no longer has this broadcast, and its end was not seen\. (?:Twitch no longer has [\d:-]+\. )?What there was is kept as a partial file\./,
  ),
};

const STOPPED: SourceCase = {
  vod: LIVE,
  at: {
    50: hide,
    100: all(grow(5), claim("helix", { isMissing: true, isLive: false })),
  },
  outcome: CUT_OFF,
  atLeastMs: 10 * MINUTE_MS,
};

const CASES: Readonly<Record<string, SourceCase>> = {
  "helixBlipAtStart: Helix lists nothing once": {
    at: { 0: missing("helix"), 1: onceAsked("helix", there("helix")) },
    ...whole(),
  },
  "the web API has no such VOD once": {
    at: { 0: missing("webApi"), 1: onceAsked("gql", there("webApi")) },
    ...whole(),
  },
  "one null token": {
    at: {
      0: fault(
        { kind: "gql", body: "PlaybackAccessToken" },
        { type: "body", body: '{"data":{"videoPlaybackAccessToken":null}}' },
      ),
    },
    ...whole(),
  },
  "usher knows no such VOD once": {
    at: { 0: missing("usher"), 1: onceAsked("master", there("usher")) },
    ...whole(),
  },
  "both say once that it does not exist": {
    at: {
      0: missing("helix", "webApi"),
      1: onceAsked("helix", onceAsked("gql", there("helix", "webApi"))),
    },
    ...whole(),
  },
  "both say so for good": {
    at: { 0: missing("helix", "webApi") },
    outcome: GONE,
    atLeastMs: MINUTE_MS,
  },
  "Helix lists nothing for good": {
    at: { 0: missing("helix") },
    forMs: 15 * MINUTE_MS,
    outcome: waiting(/^Twitch's API lists no such VOD, but its web API has it\./),
  },
  "the web API has no such VOD for good": {
    at: { 0: missing("webApi") },
    forMs: 15 * MINUTE_MS,
    outcome: waiting(/^Twitch's web API has no such VOD, but its API lists it\./),
  },
  "Helix lists nothing while the web API fails": {
    at: {
      0: all(missing("helix"), fault({ kind: "gql" }, { type: "status", status: 500 }, "forever")),
    },
    forMs: 10 * MINUTE_MS,
    outcome: waiting(/^Twitch's API lists no such VOD, and its web API does not say: /),
  },
  "a segment is absent for a moment while Helix lists nothing": {
    at: {
      0: fault({ kind: "segment", segmentIndex: 3 }, { type: "status", status: 404 }, 2),
      1: onceAsked("playlist", missing("helix")),
    },
    ...whole(),
  },
  "both say twice that it does not exist, but that it does in between": {
    vod: LIVE,
    at: {
      0: all(
        fault({ kind: "helix" }, { type: "body", body: '{"data":[],"pagination":{}}' }),
        fault({ kind: "gql" }, { type: "body", body: '{"data":{"video":null}}' }),
      ),
      150: whileAsked(
        "helix",
        missing("helix", "webApi", "usher", "cdn"),
        there("helix", "webApi", "usher", "cdn"),
      ),
      300: all(grow(5), end),
    },
    ...whole(),
  },
  "nobody answers while the playlist neither grows nor ends": {
    vod: LIVE,
    at: {
      50: all(
        fault({ kind: "helix" }, { type: "status", status: 500 }, "forever"),
        fault({ kind: "gql" }, { type: "status", status: 500 }, "forever"),
      ),
    },
    forMs: 20 * MINUTE_MS,
    outcome: { status: "processing", phase: "waiting" },
  },
  "one denies it and the other is silent while the playlist neither grows nor ends": {
    vod: LIVE,
    at: {
      50: all(missing("helix"), fault({ kind: "gql" }, { type: "status", status: 500 }, "forever")),
    },
    forMs: 20 * MINUTE_MS,
    outcome: { status: "processing", phase: "waiting" },
  },
  "growHidden: the VOD is hidden while it grows, and ends": {
    vod: LIVE,
    at: { 50: hide, 100: grow(5), 170: grow(5), 230: all(grow(5), end) },
    ...whole({ durationSec: 200 }),
  },
  "the VOD is hidden while it grows, then its media are deleted": {
    vod: LIVE,
    at: { 50: hide, 100: grow(5), 200: missing("cdn") },
    outcome: CUT_OFF,
  },
  "the VOD is hidden, and its playlist neither grows nor ends": STOPPED,
  "the VOD is deleted everywhere while it grows": {
    vod: LIVE,
    at: { 50: grow(1), 100: remove },
    outcome: CUT_OFF,
  },
  "the VOD is deleted everywhere once its end was seen": {
    vod: LIVE,
    at: {
      50: all(grow(1), end),
      51: all((cases, vodId) => cases.untilServed(vodId, 6), remove),
    },
    outcome: COMPLETED,
  },
};

describe("whether a VOD exists", () => {
  for (const named of Object.entries(CASES)) test(...named);
});

it("the index that is rebuilt from the store knows that a broadcast was cut off", async () => {
  const { id } = (await run(STOPPED)).upload;
  const { database } = context.platform;
  await database.batch([
    sql`DELETE FROM files WHERE upload_id = ${id}`,
    sql`DELETE FROM uploads WHERE id = ${id}`,
  ]);
  await rebuildIndex(context);
  expect(await read(id)).toMatchObject({
    status: "failed",
    failureClass: "gone_at_source",
    fileStatus: "partial",
  });
});
