import { describe, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import {
  COMPLETED,
  DAY_MS,
  MINUTE_MS,
  openSourceCases,
  type SourceCase,
  whole,
} from "./source-case.ts";
import { all, claim, end, fault, grow, hide, missing, onceAsked, there } from "./steps.ts";

const world = await openSourceCases();

const LONG = { segmentSizeBytes: 20_000, segmentCount: 20 };
/** A broadcast that has just begun. */
const LIVE = { segmentSizeBytes: 20_000, growing: { initialSegments: 5 } };

const CASES: Readonly<Record<string, SourceCase>> = {
  "growHelixBlip: Helix lists nothing once while the broadcast grows": {
    vod: LIVE,
    at: {
      50: missing("helix"),
      80: there("helix"),
      100: grow(5),
      130: missing("helix"),
      170: grow(5),
      230: all(grow(5), end),
      250: there("helix"),
    },
    ...whole(),
  },
  "recut: the segments of a broadcast that grows get other lengths": {
    vod: LIVE,
    at: {
      50: fault(
        { kind: "playlist" },
        { type: "replace", pattern: "#EXTINF:10.000", replacement: "#EXTINF:9.000" },
        "forever",
      ),
      100: all(grow(5), end),
    },
    ...whole({ durationSec: 90 }),
  },
  "tailLags: the last segments are listed two minutes after the end": {
    vod: LIVE,
    at: {
      30: all(claim("cdn", { listedSegments: 12 }), grow(10), end),
      150: claim("cdn", {}),
    },
    ...whole({ durationSec: 150 }),
  },
  "the tail is listed in two batches, each eight minutes late": {
    vod: LIVE,
    at: {
      30: all(claim("cdn", { listedSegments: 9 }), grow(15), end),
      510: claim("cdn", { listedSegments: 15 }),
      1_000: claim("cdn", {}),
    },
    ...whole(),
  },
  "the tail is late while the stated duration is outdated as well": {
    vod: LIVE,
    at: {
      30: all(
        claim("helix", { durationSec: 50 }),
        claim("cdn", { listedSegments: 12 }),
        grow(10),
        end,
      ),
      250: all(claim("cdn", {}), claim("helix", {})),
    },
    ...whole(),
  },
  "an ended VOD of today lists its tail late": {
    at: { 0: claim("cdn", { listedSegments: 3 }), 200: claim("cdn", {}) },
    ...whole(),
  },
  "a VOD that has just ended lists its tail late, and is stated to end before it": {
    ageMs: MINUTE_MS,
    at: {
      0: all(claim("cdn", { listedSegments: 4 }), claim("helix", { durationSec: 40 })),
      1: onceAsked("playlist", there("cdn", "helix")),
    },
    ...whole(),
  },
  "shortPlaylist: a VOD of today stays shorter than stated": {
    vod: LONG,
    at: { 0: claim("helix", { durationSec: 300 }) },
    ...whole({ durationSec: 200, statedDurationSec: 300 }),
    atLeastMs: 10 * MINUTE_MS,
  },
  "an old VOD is shorter than stated": {
    vod: LONG,
    ageMs: 3 * DAY_MS,
    at: { 0: claim("helix", { durationSec: 300 }) },
    ...whole({ durationSec: 200, statedDurationSec: 300 }),
    most: [["playlist", 2]],
  },
  "a VOD is ten seconds shorter than stated": {
    vod: LONG,
    at: { 0: claim("helix", { durationSec: 210 }) },
    ...whole({ durationSec: 200, statedDurationSec: null }),
    most: [["playlist", 1]],
  },
  "the playlist is marked as ended while the broadcast goes on": {
    vod: LIVE,
    at: {
      30: claim("cdn", { isLive: false }),
      160: all(grow(5), claim("cdn", {})),
      230: all(grow(5), end),
    },
    ...whole(),
  },
  "nobody confirms that the broadcast has ended": {
    vod: LIVE,
    at: {
      30: all(claim("webApi", { isLive: true }), claim("helix", { isLive: true }), grow(5), end),
    },
    forMs: 20 * MINUTE_MS,
    outcome: {
      phase: "waiting",
      errorMessage: "The playlist is marked as ended, but Twitch does not confirm it yet.",
    },
  },
  "the web API says too early that it has ended": {
    vod: LIVE,
    at: { 0: claim("webApi", { isLive: false }), 100: grow(5), 230: all(grow(5), end) },
    ...whole(),
  },
  "the web API and Helix say too early that it has ended": {
    vod: LIVE,
    at: {
      30: all(claim("webApi", { isLive: false }), claim("helix", { isLive: false })),
      300: grow(5),
      600: all(grow(5), end),
    },
    ...whole(),
  },
  "the web API never says that it has ended": {
    vod: LIVE,
    at: { 0: claim("webApi", { isLive: true }), 100: all(grow(5), end) },
    ...whole(),
  },
  "the playlist is never marked as ended": {
    vod: LIVE,
    at: { 0: claim("cdn", { isLive: true }), 100: all(grow(5), end) },
    ...whole(),
    atLeastMs: 10 * MINUTE_MS,
  },
  "the playlist fails for two minutes": {
    vod: LIVE,
    at: {
      30: fault({ kind: "playlist" }, { type: "status", status: 503 }, 4),
      100: all(grow(5), end),
    },
    ...whole(),
  },
  "the playlist of a hidden VOD fails for two minutes": {
    vod: LIVE,
    at: {
      30: all(hide, fault({ kind: "playlist" }, { type: "status", status: 503 }, 4)),
      300: all(grow(5), end),
    },
    ...whole(),
  },
  "a cache has an outdated playlist": {
    vod: LIVE,
    at: {
      70: all(grow(5), claim("cdn", { listedSegments: 3 })),
      150: claim("cdn", {}),
      200: all(grow(1), end),
    },
    ...whole(),
  },
  "segments appear in batches of thirty": {
    vod: LIVE,
    at: { 300: grow(30), 600: grow(30), 900: all(grow(3), end) },
    ...whole(),
    // A playlist a minute; the others at the start, for the pictures, and at the end.
    most: [
      ["playlist", 20],
      ["master", 1],
      ["helix", 4],
      ["gql", 8],
    ],
  },
};

describe("when and where a broadcast ends", () => {
  for (const named of Object.entries(CASES)) world.test(...named);
});

it("a plan of an earlier version is continued to the end of its broadcast", async () => {
  const { objects, database } = world.context.platform;
  const { vodId, uploadId } = await world.addVod(LIVE);
  await world.archiver.consume({ uploadId });
  const [row] = await database.all(sql`SELECT manifest_key FROM uploads WHERE id = ${uploadId}`);
  const key = objectKeySchema.parse(row?.manifest_key);
  const { end: _, grownAt: __, ...plan } = JSON.parse(await world.storedText(key));
  delete plan.source.broadcastId;
  await objects.put(key, new TextEncoder().encode(JSON.stringify({ ...plan, agreeingPolls: 0 })), {
    contentType: "application/json",
    metadata: { uploadId },
  });
  await all(grow(3), end)(world, vodId);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject(COMPLETED);
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});
