import { describe, expect, it } from "vitest";
import type { Upload } from "#contract/upload.ts";
import { uploadStreamMessageSchema } from "#contract/upload-stream.ts";
import { sql } from "#service/db/sql.ts";
import { retryUpload } from "#service/storage/upload-actions.ts";
import { UPLOADS_TOPIC } from "#service/storage/upload-events.ts";
import type { CustomVod } from "#stand-ins/twitch/catalog/custom-vod.ts";
import type { Fault, FaultMatch, NewFault } from "#stand-ins/twitch/faults/fault.ts";
import { MINUTE_MS, openSourceCases, whole } from "./source-case.ts";
import { openVirtualWorld } from "./virtual-world.ts";

/**
 * What a media host's answer means: an outage is waited out, a segment that is absent or damaged for
 * good costs that segment only.
 */

const world = await openSourceCases();

const TS: CustomVod = { segmentCount: 12, segmentSizeBytes: 100_000 };
const FMP4: CustomVod = { segmentCount: 12, container: "fmp4" };

const lasting = (fault: Fault, ...segments: readonly number[]): NewFault[] =>
  segments.map((segmentIndex) => ({
    match: { kind: "segment", segmentIndex },
    fault,
    times: "forever",
  }));
const of = (kind: NonNullable<FaultMatch["kind"]>, fault: Fault): NewFault => ({
  match: { kind },
  fault,
  times: "forever",
});
const during = (ms: number, match: FaultMatch, fault: Fault): NewFault[] => [
  { match, fault, forMs: ms },
];
const once = (fault: Fault, times = 1): NewFault[] => [
  { match: { kind: "segment", segmentIndex: 2 }, fault, times },
];
const range = (first: number, end: number) => ({ startSec: first * 10, endSec: end * 10 });
const cut = (afterBytes: number): Fault => ({ type: "truncate", afterBytes });
const BLOCK: Fault = { type: "blockPage" };
const ABSENT: Fault = { type: "noSuchObject" };
const MEDIA = { path: "^/media/" };

async function addVod(custom: CustomVod, faults: readonly NewFault[]) {
  for (const fault of faults) await world.control.addFault(fault);
  return await world.addVod(custom);
}

describe("an outage costs nothing", () => {
  const table: readonly (readonly [name: string, CustomVod, readonly NewFault[]])[] = [
    ["cdnBlocked60", { ...TS, segmentCount: 60 }, during(60_000, MEDIA, BLOCK)],
    ["segments blocked for a minute", TS, during(60_000, { kind: "segment" }, BLOCK)],
    ["ten segments blocked", TS, [{ match: { kind: "segment" }, fault: BLOCK, times: 10 }]],
    ["one segment blocked", TS, during(60_000, { segmentIndex: 5 }, BLOCK)],
    ["init section blocked", FMP4, during(60_000, { kind: "init" }, BLOCK)],
    ["403 as for absent objects, everywhere", TS, during(60_000, MEDIA, ABSENT)],
    [
      "403 as for absent objects, of every segment",
      TS,
      during(60_000, { kind: "segment" }, ABSENT),
    ],
    [
      "404 of every segment",
      TS,
      during(60_000, { kind: "segment" }, { type: "status", status: 404 }),
    ],
    [
      "403 with an unknown body",
      TS,
      during(60_000, { segmentIndex: 5 }, { type: "status", status: 403 }),
    ],
    ["cdn503for60", TS, during(60_000, { kind: "segment" }, { type: "status", status: 503 })],
    ["cut for two minutes", TS, during(120_000, { kind: "segment" }, cut(999))],
    [
      "cut at a packet for two minutes",
      { segmentCount: 4 },
      during(120_000, { kind: "segment" }, cut(188 * 500)),
    ],
    ["empty for two minutes", TS, during(120_000, { kind: "segment" }, { type: "empty" })],
    ["404 once", TS, once({ type: "status", status: 404 })],
    ["429 with Retry-After", TS, once({ type: "status", status: 429, retryAfter: "3" })],
    ["429 with a long wait", TS, once({ type: "status", status: 429, retryAfter: "90" })],
    ["more 500 responses than a run tolerates", TS, once({ type: "status", status: 500 }, 15)],
    ["a body longer than the segment", TS, once({ type: "overlong", extraBytes: 100 }, 2)],
    ["a web page for a minute", TS, once({ type: "html" }, 8)],
    ["wrong first bytes", TS, once({ type: "wrongMagic" })],
    [
      "a redirect to a foreign host",
      TS,
      once({ type: "redirect", location: "https://example.com/2.ts" }),
    ],
  ];

  for (const [name, vod, faults] of table) world.test(name, { vod, faults, ...whole() });
});

describe("while an outage lasts, the upload waits and says what the host says", () => {
  const HOST = String.raw`127\.0\.0\.1:\d+`;
  const REFUSES = String.raw`^Twitch's media host ${HOST} refuses this service \(403\): `;
  const table: readonly (readonly [name: string, NewFault, message: string])[] = [
    ["a block page", of("segment", BLOCK), `${REFUSES}ERROR: .+ Request blocked\\.`],
    [
      "an unknown body",
      of("segment", { type: "status", status: 401 }),
      `${REFUSES.replace("403", "401")}.*asked for by a fault`,
    ],
    [
      "a block page for the playlist",
      of("playlist", BLOCK),
      `${REFUSES.replace("Twitch's", "The")}ERROR: .+ Request blocked\\.`,
    ],
    ["absent everywhere", of("segment", ABSENT), `^The media host ${HOST} refuses every segment`],
    ["pages everywhere", of("segment", { type: "html" }), "^Segment \\d+: it is a page of text"],
    [
      "a redirect elsewhere",
      of("segment", { type: "redirect", location: "https://vod.example.net/0.ts" }),
      "redirects to is on vod\\.example\\.net, which TWITCH_MEDIA_HOSTS does not list\\.$",
    ],
  ];

  for (const [name, fault, message] of table) {
    const waits = expect.stringMatching(message);
    world.test(name, { vod: TS, faults: [fault], waits, ...whole() });
  }

  it("a media host that is not listed", async () => {
    const strict = await openVirtualWorld({ settings: { TWITCH_MEDIA_HOSTS: "*.cloudfront.net" } });
    const { uploadId } = await strict.addVod(TS);
    await strict.play(() => strict.archiver.consume({ uploadId }));
    const waiting = await strict.upload(uploadId);
    await strict.close();
    expect(waiting).toMatchObject({ status: "processing", phase: "waiting" });
    expect(waiting.errorMessage).toMatch(
      new RegExp(`^A media address is on ${HOST}, which TWITCH_MEDIA_HOSTS does not list\\.$`),
    );
  });
});

describe("a segment that is absent or damaged for good costs only itself", () => {
  const KEPT = " What there was is kept as a partial file.";
  const ONE = [range(5, 6)];
  const DAMAGED = `Damaged at the source: 00:00:50-00:01:00.${KEPT}`;
  const GONE = `Twitch no longer has 00:00:50-00:01:00.${KEPT}`;
  const most = Array.from({ length: 60 }, (_, index) => index).filter((index) => index % 30 !== 7);

  const table: readonly (readonly [
    name: string,
    CustomVod,
    readonly NewFault[],
    missing: readonly { startSec: number; endSec: number }[],
    message: string,
  ])[] = [
    ["gone", TS, lasting(ABSENT, 5), ONE, GONE],
    ["gone with 404", TS, lasting({ type: "status", status: 404 }, 5), ONE, GONE],
    ["zero", TS, lasting({ type: "empty" }, 5), ONE, DAMAGED],
    ["odd188", TS, lasting(cut(50_000), 5), ONE, DAMAGED],
    [
      "oddLast",
      TS,
      lasting(cut(50_000), 11),
      [range(11, 12)],
      `Damaged at the source: 00:01:50-00:02:00.${KEPT}`,
    ],
    [
      "oddFirst",
      TS,
      lasting(cut(50_000), 0),
      [range(0, 1)],
      `Damaged at the source: 00:00:00-00:00:10.${KEPT}`,
    ],
    ["fmp4cut", FMP4, lasting(cut(50_000), 5), ONE, DAMAGED],
    ["fmp4zero", FMP4, lasting({ type: "empty" }, 5), ONE, DAMAGED],
    [
      "cut in a playlist of byte ranges",
      { ...TS, byteRangePlaylist: true },
      lasting(cut(50_000), 5),
      ONE,
      DAMAGED,
    ],
    ["a page in its place", TS, lasting({ type: "html" }, 5), ONE, DAMAGED],
    [
      "some gone, some damaged",
      TS,
      [...lasting(ABSENT, 2, 3), ...lasting({ type: "empty" }, 8)],
      [range(2, 4), range(8, 9)],
      `Twitch no longer has 00:00:20-00:00:40. Damaged at the source: 00:01:20-00:01:30.${KEPT}`,
    ],
    [
      "mostlyEmpty",
      { ...TS, segmentCount: 60 },
      lasting({ type: "empty" }, ...most),
      [range(0, 7), range(8, 37), range(38, 60)],
      "Damaged at the source: 00:00:00-00:01:10, 00:01:20-00:06:10 and 00:06:20-00:10:00." + KEPT,
    ],
    [
      "init403",
      FMP4,
      [of("init", ABSENT)],
      [range(0, 12)],
      `Twitch has no usable init section for 00:00:00-00:02:00.${KEPT}`,
    ],
    [
      "init zero",
      FMP4,
      [of("init", { type: "empty" })],
      [range(0, 12)],
      `Twitch has no usable init section for 00:00:00-00:02:00.${KEPT}`,
    ],
    [
      "init403 of the second part",
      { segmentCount: 12, container: "multi-init-fmp4" },
      [{ match: { path: "init-1" }, fault: ABSENT, times: "forever" }],
      [range(6, 12)],
      `Twitch has no usable init section for 00:01:00-00:02:00.${KEPT}`,
    ],
  ];

  for (const [name, vod, faults, missingRanges, errorMessage] of table) {
    const partial = { status: "failed", fileStatus: "partial" };
    const outcome = { ...partial, errorMessage, metadata: { missingRanges } };
    world.test(name, { vod, faults, outcome, atMostMs: 15 * MINUTE_MS });
  }
});

/** Archives a VOD to its end; `strike` runs before a segment is asked for, once. */
async function archiveStruck(
  { vodId, uploadId }: { readonly vodId: string; readonly uploadId: string },
  segment: number,
  strike: (vodId: string) => Promise<unknown>,
) {
  let striking: Promise<unknown> | null = null;
  const archiver = world.newArchiver((platform) => ({
    ...platform,
    async receive(address, init) {
      if (address.endsWith(`/chunked/${segment}.ts`)) await (striking ??= strike(vodId));
      return await (platform.receive ?? platform.fetch)(address, init);
    },
  }));
  const startMs = world.context.platform.clock.monotonic();
  const upload = await world.archiveToEnd(uploadId, archiver);
  const elapsedMs = world.context.platform.clock.monotonic() - startMs;
  return { uploadId, upload, elapsedMs };
}

const removeSource = (vodId: string) => world.twitch.control.removeRendition(vodId, "chunked");
const refuseSource = async (vodId: string) =>
  world.twitch.control.addFault({
    match: { vodId, path: "^/media/.*/chunked/" },
    fault: ABSENT,
    times: "forever",
  });

async function renditionOf(uploadId: string): Promise<unknown> {
  const [row] = await world.context.platform.database.all(
    sql`SELECT rendition FROM uploads WHERE id = ${uploadId}`,
  );
  return row?.rendition;
}
describe("a rendition that the source removes", () => {
  const VOD: CustomVod = { ...TS, segmentSizeBytes: 400_000 };
  const PARTIAL = {
    status: "failed",
    fileStatus: "partial",
    failureClass: "gone_at_source",
    errorMessage: expect.stringMatching(
      /^Twitch no longer has .+-00:02:00\. What there was is kept as a partial file\. Twitch removed 1080p60; a retry copies what it still offers\.$/,
    ),
  };

  it("renditionGone: leaves a partial file, and a retry copies another", async () => {
    const { uploadId, upload, elapsedMs } = await archiveStruck(
      await world.addVod(VOD),
      6,
      removeSource,
    );
    expect(upload).toMatchObject(PARTIAL);
    expect(elapsedMs).toBeLessThan(5 * 60_000);
    expect(upload.metadata.missingRanges.at(-1)?.endSec).toBe(120);
    await retryUpload(world.context, { uploadId, actorId: null, atMs: Date.now() });
    const again = await world.archiveToEnd(uploadId);
    expect([again.status, again.errorMessage]).toEqual(["completed", null]);
    expect(await renditionOf(uploadId)).toBe("480p30");
  });

  it("although it still offers it leaves a partial file", async () => {
    expect((await archiveStruck(await world.addVod(VOD), 6, refuseSource)).upload).toMatchObject(
      PARTIAL,
    );
  });

  it("before anything was copied is replaced at once", async () => {
    const { uploadId, upload } = await archiveStruck(await world.addVod(VOD), 0, removeSource);
    expect([upload.status, upload.errorMessage]).toEqual(["completed", null]);
    expect(await renditionOf(uploadId)).toBe("480p30");
  });
});

it("an outage keeps the parts, with what they note of a damaged segment", async () => {
  const custom = { segmentCount: 24, segmentSizeBytes: 188 * 5_600 };
  const { vodId, uploadId } = await addVod(custom, lasting({ type: "empty" }, 1));
  const blockAll = () =>
    world.twitch.control.addFault({
      match: { vodId, path: MEDIA.path },
      fault: BLOCK,
      forMs: 300_000,
    });
  const { upload } = await archiveStruck({ vodId, uploadId }, 22, blockAll);
  expect(upload).toMatchObject({
    fileStatus: "partial",
    errorMessage:
      "Damaged at the source: 00:00:10-00:00:20. What there was is kept as a partial file.",
  });
  const served = await world.twitch.control.served(vodId);
  expect(served[3]).toBe(custom.segmentSizeBytes);
});

describe("two damaged segments", () => {
  const VOD = { segmentCount: 30, segmentSizeBytes: 700_000 };
  const EMPTY: Fault = { type: "empty" };

  it("delay the others by seconds, and are waited for together", async () => {
    const { clock } = world.context.platform;
    const { uploadId } = await addVod(VOD, lasting(EMPTY, 2, 25));
    const startedAt = clock.now();
    let othersStoredAt = Infinity;
    const unsubscribe = await onUpdate((upload) => {
      if (upload.metadata.segmentsDownloaded === 28)
        othersStoredAt = Math.min(othersStoredAt, clock.now());
    });
    const upload = await world.archiveToEnd(uploadId);
    unsubscribe();
    expect(upload.errorMessage).toMatch(/^Damaged at the source: 00:00:20-00:00:30 and 00:04:10-/);
    expect(othersStoredAt - startedAt).toBeLessThan(120_000);
    expect(clock.now() - startedAt).toBeLessThan(420_000);
  });

  it("are stored in their places if the source has them whole at the end", async () => {
    const troubles = lasting(EMPTY, 2, 25).map((each) => ({ ...each, times: 6 }));
    const { uploadId, vodId } = await addVod(VOD, troubles);
    expect(await world.holdsVod(await world.archiveToEnd(uploadId), vodId)).toBe(true);
  });
});

it("while a segment is fetched again, the upload says why it waits", async () => {
  const { uploadId } = await addVod({ segmentCount: 5 }, once({ type: "html" }, 6));
  const reasons = new Set<string | null>();
  const unsubscribe = await onUpdate((upload) => {
    if (upload.phase === "waiting") reasons.add(upload.errorMessage);
  });
  const upload = await world.archiveToEnd(uploadId);
  unsubscribe();
  expect([...reasons]).toEqual([expect.stringMatching(/^Segment 2: it is a page of text/)]);
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
});

it("segments that the source always cuts at a packet are kept and logged", async () => {
  const CUT = { type: "truncate", afterBytes: 188 * 500 } as const;
  const { uploadId } = await addVod({ segmentCount: 30 }, [of("segment", CUT)]);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload.status).toBe("completed");
  expect((await world.storedDigest(upload.fileKey ?? "")).sizeBytes).toBe(30 * CUT.afterBytes);
  const notes = world.log().match(/Segment \d+ is kept as the source has it, although its/g) ?? [];
  expect(notes.length).toBeGreaterThanOrEqual(3);
  // The check stops after three; up to five concurrent fetches are retried as well.
  expect(notes.length).toBeLessThanOrEqual(3 + 5);
});

it("a VOD that is deleted midway is kept as far as it was copied", async () => {
  const upload = await world.archiveToEnd(await world.addUpload("2000001090"));
  expect(upload.errorMessage).toContain("What there was is kept as a partial file.");
});

async function onUpdate(look: (upload: Upload) => void): Promise<() => void> {
  const { unsubscribe } = await world.context.platform.hub.subscribe(
    UPLOADS_TOPIC,
    null,
    ({ data }) => {
      const message = uploadStreamMessageSchema.parse(JSON.parse(data));
      if (message.type === "upload_update") look(message.upload);
    },
  );
  return unsubscribe;
}
