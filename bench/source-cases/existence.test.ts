import { afterAll, aroundEach, describe, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import { rebuildIndex } from "#service/proof/rebuild-index.ts";
import type { CustomVod } from "#stand-ins/twitch/catalog/custom-vod.ts";
import type { NewFault } from "#stand-ins/twitch/faults/fault.ts";
import type { TwitchSteering } from "#stand-ins/twitch/control/steer-twitch.ts";
import { openVirtualWorld } from "./virtual-world.ts";

const world = await openVirtualWorld();
aroundEach(world.play);
afterAll(() => world.close());

const { clock } = world.context.platform;
const { control } = world.twitch;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const KINDS = ["helix", "gql", "master", "playlist"] as const;
type Kind = (typeof KINDS)[number];

type Step = (twitch: TwitchSteering, vodId: string) => Promise<unknown>;

type Case = {
  readonly vod?: CustomVod;
  /** Of a finished broadcast; an hour by default. */
  readonly ageMs?: number;
  /**
   * In order, seconds after the start; of a broadcast, after its plan was made. What is due at 0
   * happens before the start.
   */
  readonly at?: Readonly<Record<number, Step>>;
  /** Gives up waiting after so long. */
  readonly forMs?: number;
  readonly outcome: Partial<Record<keyof Upload, unknown>>;
  /** The source's bytes are stored, all of them. */
  readonly isWhole?: boolean;
  readonly atLeastMs?: number;
  /** How many requests there may be of each kind. */
  readonly most?: Readonly<Partial<Record<Kind, number>>>;
};

const SMALL = { segmentSizeBytes: 20_000 };
const SHORT = { ...SMALL, segmentCount: 6 };
const LONG = { ...SMALL, segmentCount: 20 };
/** A broadcast that has just begun. */
const LIVE = { ...SMALL, growing: { initialSegments: 5 } };

const COMPLETED = { status: "completed", errorMessage: null };
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

const MISSING = { isMissing: true };
const missing =
  (...parts: ("helix" | "webApi" | "usher" | "cdn")[]): Step =>
  (twitch, vodId) =>
    Promise.all(parts.map((part) => twitch.claim(vodId, part, MISSING)));
const there =
  (...parts: ("helix" | "webApi" | "usher" | "cdn")[]): Step =>
  (twitch, vodId) =>
    Promise.all(parts.map((part) => twitch.claim(vodId, part)));
/** After the first answer to a request of this kind. */
const onceAsked =
  (kind: Kind, step: Step): Step =>
  async (twitch, vodId) => {
    while ((await twitch.requests({ kind, vodId })).length === 0) await clock.sleep(500);
    await step(twitch, vodId);
  };
/** Until a further request of this kind is answered, `step` holds. */
const whileAsked =
  (kind: Kind, step: Step, after: Step): Step =>
  async (twitch, vodId) => {
    const asked = (await twitch.requests({ kind, vodId })).length;
    await step(twitch, vodId);
    while ((await twitch.requests({ kind, vodId })).length === asked) await clock.sleep(500);
    await after(twitch, vodId);
  };
const fault =
  (match: NewFault["match"], what: NewFault["fault"], times: NewFault["times"] = 1): Step =>
  (twitch, vodId) =>
    twitch.addFault({ match: { ...match, vodId }, fault: what, times });
const grow =
  (segments: number): Step =>
  (twitch, vodId) =>
    twitch.grow(vodId, segments);
const end: Step = (twitch, vodId) => twitch.end(vodId);
const hide: Step = (twitch, vodId) => twitch.hide(vodId);
const all =
  (...steps: Step[]): Step =>
  async (twitch, vodId) => {
    for (const step of steps) await step(twitch, vodId);
  };
const claim =
  (
    ...[part, claims]: [
      Parameters<TwitchSteering["claim"]>[1],
      Parameters<TwitchSteering["claim"]>[2],
    ]
  ): Step =>
  (twitch, vodId) =>
    twitch.claim(vodId, part, claims);

const STOPPED: Case = {
  vod: LIVE,
  at: {
    50: hide,
    100: all(grow(5), claim("helix", { isMissing: true, isLive: false })),
  },
  outcome: CUT_OFF,
  atLeastMs: 10 * MINUTE_MS,
};

const CASES: Readonly<Record<string, Case>> = {
  "helixBlipAtStart: Helix lists nothing once": {
    at: { 0: missing("helix"), 1: onceAsked("helix", there("helix")) },
    outcome: COMPLETED,
    isWhole: true,
  },
  "the web API has no such VOD once": {
    at: { 0: missing("webApi"), 1: onceAsked("gql", there("webApi")) },
    outcome: COMPLETED,
    isWhole: true,
  },
  "one null token": {
    at: {
      0: fault(
        { kind: "gql", body: "PlaybackAccessToken" },
        { type: "body", body: '{"data":{"videoPlaybackAccessToken":null}}' },
      ),
    },
    outcome: COMPLETED,
    isWhole: true,
  },
  "usher knows no such VOD once": {
    at: { 0: missing("usher"), 1: onceAsked("master", there("usher")) },
    outcome: COMPLETED,
    isWhole: true,
  },
  "both say once that it does not exist": {
    at: {
      0: missing("helix", "webApi"),
      1: onceAsked("helix", onceAsked("gql", there("helix", "webApi"))),
    },
    outcome: COMPLETED,
    isWhole: true,
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
    outcome: COMPLETED,
    isWhole: true,
  },
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
    outcome: COMPLETED,
    isWhole: true,
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
    outcome: COMPLETED,
    isWhole: true,
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
    outcome: { ...COMPLETED, metadata: expect.objectContaining({ durationSec: 90 }) },
    isWhole: true,
  },
  "growHidden: the VOD is hidden while it grows, and ends": {
    vod: LIVE,
    at: { 50: hide, 100: grow(5), 170: grow(5), 230: all(grow(5), end) },
    outcome: { ...COMPLETED, metadata: expect.objectContaining({ durationSec: 200 }) },
    isWhole: true,
  },
  "the VOD is hidden while it grows, then its media are deleted": {
    vod: LIVE,
    at: { 50: hide, 100: grow(5), 200: missing("cdn") },
    outcome: CUT_OFF,
  },
  "the VOD is hidden, and its playlist neither grows nor ends": STOPPED,
  "the VOD is deleted everywhere while it grows": {
    vod: LIVE,
    at: { 50: grow(1), 100: (twitch, vodId) => twitch.deleteVod(vodId) },
    outcome: CUT_OFF,
  },
  "the VOD is deleted everywhere once its end was seen": {
    vod: LIVE,
    at: {
      50: all(grow(1), end),
      51: async (twitch, vodId) => {
        await untilServed(vodId, 6);
        await twitch.deleteVod(vodId);
      },
    },
    outcome: COMPLETED,
  },
  "tailLags: the last segments are listed two minutes after the end": {
    vod: LIVE,
    at: {
      30: all(claim("cdn", { listedSegments: 12 }), grow(10), end),
      150: claim("cdn", {}),
    },
    outcome: { ...COMPLETED, metadata: expect.objectContaining({ durationSec: 150 }) },
    isWhole: true,
  },
  "the tail is listed in two batches, each eight minutes late": {
    vod: LIVE,
    at: {
      30: all(claim("cdn", { listedSegments: 9 }), grow(15), end),
      510: claim("cdn", { listedSegments: 15 }),
      1_000: claim("cdn", {}),
    },
    outcome: COMPLETED,
    isWhole: true,
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
    outcome: COMPLETED,
    isWhole: true,
  },
  "an ended VOD of today lists its tail late": {
    at: { 0: claim("cdn", { listedSegments: 3 }), 200: claim("cdn", {}) },
    outcome: COMPLETED,
    isWhole: true,
  },
  "a VOD that has just ended lists its tail late, and is stated to end before it": {
    ageMs: MINUTE_MS,
    at: {
      0: all(claim("cdn", { listedSegments: 4 }), claim("helix", { durationSec: 40 })),
      1: onceAsked("playlist", there("cdn", "helix")),
    },
    outcome: COMPLETED,
    isWhole: true,
  },
  "shortPlaylist: a VOD of today stays shorter than stated": {
    vod: LONG,
    at: { 0: claim("helix", { durationSec: 300 }) },
    outcome: {
      ...COMPLETED,
      metadata: expect.objectContaining({ durationSec: 200, statedDurationSec: 300 }),
    },
    isWhole: true,
    atLeastMs: 10 * MINUTE_MS,
  },
  "an old VOD is shorter than stated": {
    vod: LONG,
    ageMs: 3 * DAY_MS,
    at: { 0: claim("helix", { durationSec: 300 }) },
    outcome: {
      ...COMPLETED,
      metadata: expect.objectContaining({ durationSec: 200, statedDurationSec: 300 }),
    },
    isWhole: true,
    most: { playlist: 2 },
  },
  "a VOD is ten seconds shorter than stated": {
    vod: LONG,
    at: { 0: claim("helix", { durationSec: 210 }) },
    outcome: {
      ...COMPLETED,
      metadata: expect.objectContaining({ durationSec: 200, statedDurationSec: null }),
    },
    isWhole: true,
    most: { playlist: 1 },
  },
  "the playlist is marked as ended while the broadcast goes on": {
    vod: LIVE,
    at: {
      30: claim("cdn", { isLive: false }),
      160: all(grow(5), claim("cdn", {})),
      230: all(grow(5), end),
    },
    outcome: COMPLETED,
    isWhole: true,
  },
  "nobody confirms that the broadcast has ended": {
    vod: LIVE,
    at: {
      30: all(claim("webApi", { isLive: true }), claim("helix", { isLive: true }), grow(5), end),
    },
    forMs: 20 * MINUTE_MS,
    outcome: waiting(/^The playlist is marked as ended, but Twitch does not confirm it yet\.$/),
  },
  "the web API says too early that it has ended": {
    vod: LIVE,
    at: { 0: claim("webApi", { isLive: false }), 100: grow(5), 230: all(grow(5), end) },
    outcome: COMPLETED,
    isWhole: true,
  },
  "the web API and Helix say too early that it has ended": {
    vod: LIVE,
    at: {
      30: all(claim("webApi", { isLive: false }), claim("helix", { isLive: false })),
      300: grow(5),
      600: all(grow(5), end),
    },
    outcome: COMPLETED,
    isWhole: true,
  },
  "the web API never says that it has ended": {
    vod: LIVE,
    at: { 0: claim("webApi", { isLive: true }), 100: all(grow(5), end) },
    outcome: COMPLETED,
    isWhole: true,
  },
  "the playlist is never marked as ended": {
    vod: LIVE,
    at: { 0: claim("cdn", { isLive: true }), 100: all(grow(5), end) },
    outcome: COMPLETED,
    isWhole: true,
    atLeastMs: 10 * MINUTE_MS,
  },
  "the playlist fails for two minutes": {
    vod: LIVE,
    at: {
      30: fault({ kind: "playlist" }, { type: "status", status: 503 }, 4),
      100: all(grow(5), end),
    },
    outcome: COMPLETED,
    isWhole: true,
  },
  "the playlist of a hidden VOD fails for two minutes": {
    vod: LIVE,
    at: {
      30: all(hide, fault({ kind: "playlist" }, { type: "status", status: 503 }, 4)),
      300: all(grow(5), end),
    },
    outcome: COMPLETED,
    isWhole: true,
  },
  "a cache has an outdated playlist": {
    vod: LIVE,
    at: {
      70: all(grow(5), claim("cdn", { listedSegments: 3 })),
      150: claim("cdn", {}),
      200: all(grow(1), end),
    },
    outcome: COMPLETED,
    isWhole: true,
  },
  "segments appear in batches of thirty": {
    vod: LIVE,
    at: { 300: grow(30), 600: grow(30), 900: all(grow(3), end) },
    outcome: COMPLETED,
    isWhole: true,
    // A playlist a minute; the others at the start, for the pictures, and at the end.
    most: { playlist: 20, master: 1, helix: 4, gql: 8 },
  },
};

async function untilServed(vodId: string, segments: number): Promise<void> {
  while (Object.keys(await control.served(vodId)).length < segments) await clock.sleep(1_000);
}

const LONGEST_MS = HOUR_MS;

async function run({ vod = SHORT, at = {}, forMs = LONGEST_MS, isWhole = false, ...of }: Case) {
  const isLive = vod.growing !== undefined;
  const age = isLive ? {} : { createdAt: clock.now() - (of.ageMs ?? HOUR_MS) };
  const { id: ownerId } = await control.addAccount();
  const { id: vodId } = await control.addVod({ ...vod, ...age, ownerId });
  const steps = Object.entries(at).map(([sec, step]) => ({ atMs: Number(sec) * 1_000, step }));
  for (const { atMs, step } of steps) if (atMs === 0) await step(control, vodId);
  const uploadId = await world.addUpload(vodId);
  const startMs = clock.monotonic();
  const acting = (async () => {
    // The newest segment is left out while it may grow.
    if (isLive) await untilServed(vodId, (vod.growing?.initialSegments ?? 1) - 1);
    const fromMs = clock.monotonic();
    for (const { atMs, step } of steps) {
      if (atMs === 0) continue;
      await clock.sleep(Math.max(0, fromMs + atMs - clock.monotonic()));
      await step(control, vodId);
    }
  })();
  let upload = await world.upload(uploadId);
  while (upload.status === "pending" || upload.status === "processing") {
    await world.archiver.consume({ uploadId });
    upload = await world.upload(uploadId);
    if (clock.monotonic() - startMs > forMs) break;
    const nextMs = Date.parse(upload.nextAttemptAt ?? "1970");
    await clock.sleep(Math.max(50, nextMs - clock.now() + 1));
  }
  const requests = new Map<Kind, number>();
  for (const kind of KINDS) requests.set(kind, (await control.requests({ kind, vodId })).length);
  const tookMs = clock.monotonic() - startMs;
  await acting;
  return { upload, tookMs, requests, isSame: isWhole && (await world.holdsVod(upload, vodId)) };
}

describe("what the parts of Twitch say of a VOD", () => {
  it.each(Object.entries(CASES))("%s", async (_, expected) => {
    const { upload, tookMs, requests, isSame } = await run(expected);
    expect(upload).toMatchObject(expected.outcome);
    expect(isSame).toBe(expected.isWhole ?? false);
    expect(tookMs).toBeGreaterThanOrEqual(expected.atLeastMs ?? 0);
    for (const kind of KINDS)
      expect(requests.get(kind)).toBeLessThanOrEqual(expected.most?.[kind] ?? Infinity);
    const events = await world.context.platform.database.all(sql`
      SELECT body FROM notification_events
      WHERE type = 'source_incomplete' AND subject = ${upload.id}`);
    const isShort = upload.metadata.statedDurationSec !== null;
    expect(events.map(({ body }) => body)).toEqual(
      isShort ? ["Twitch states 5:00; its playlist has 3:20."] : [],
    );
  });
});

it("the index that is rebuilt from the store knows that a broadcast was cut off", async () => {
  const { id } = (await run(STOPPED)).upload;
  const { database } = world.context.platform;
  await database.batch([
    sql`DELETE FROM files WHERE upload_id = ${id}`,
    sql`DELETE FROM uploads WHERE id = ${id}`,
  ]);
  await rebuildIndex(world.context);
  expect(await world.upload(id)).toMatchObject({
    status: "failed",
    failureClass: "gone_at_source",
    fileStatus: "partial",
  });
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
  await all(grow(3), end)(control, vodId);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject(COMPLETED);
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});
