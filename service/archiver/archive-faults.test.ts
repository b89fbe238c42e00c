import { afterAll, describe, expect, it } from "vitest";
import { uploadStreamMessageSchema } from "#contract/upload-stream.ts";
import { UPLOADS_TOPIC } from "#service/storage/upload-events.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import type { Fault } from "#stand-ins/twitch/faults/fault.ts";

type Outcome = "completed" | { readonly failureClass: string; readonly message: RegExp };

const world = await openArchiveWorld();
afterAll(() => world.close());

/** Returns "completed" only if the stored bytes are identical to the source's. */
async function outcomeOf(vodId: string, uploadId: string, expected: Outcome): Promise<Outcome> {
  const upload = await world.archiveToEnd(uploadId);
  if (upload.status !== "completed") {
    const message = upload.errorMessage ?? "";
    const isExpected = expected !== "completed" && expected.message.test(message);
    return {
      failureClass: upload.failureClass ?? upload.status,
      message: isExpected ? expected.message : new RegExp(RegExp.escape(message)),
    };
  }
  if (!(await world.holdsVod(upload, vodId))) throw new Error("Completed with other bytes");
  return "completed";
}

function failed(failureClass: string, message = /./): Outcome {
  return { failureClass, message };
}

const status = (code: number, retryAfter?: string): Fault =>
  retryAfter === undefined
    ? { type: "status", status: code }
    : { type: "status", status: code, retryAfter };

describe("a fault in one segment", () => {
  const DAMAGED = /^Damaged at the source: 00:00:20-00:00:30\. What there was is kept/;
  const table: readonly [string, Fault, number | "forever", Outcome][] = [
    ["404 once", status(404), 1, "completed"],
    ["404 permanently", status(404), "forever", failed("gone_at_source", /00:00:20-00:00:30/)],
    [
      "403 of the store permanently",
      { type: "noSuchObject" },
      "forever",
      failed("gone_at_source", /00:00:20-00:00:30/),
    ],
    ["429 with Retry-After", status(429, "3"), 1, "completed"],
    ["429 with a long wait", status(429, "90"), 1, "completed"],
    ["a burst of 503", status(503), 6, "completed"],
    ["more 500 responses than a run tolerates", status(500), 15, "completed"],
    ["a short body", { type: "truncate", afterBytes: 100_000 }, 2, "completed"],
    [
      "a short body permanently",
      { type: "truncate", afterBytes: 100_000 },
      "forever",
      failed("source_corrupt", DAMAGED),
    ],
    ["a body longer than the segment", { type: "overlong", extraBytes: 100 }, 2, "completed"],
    ["a wrong length", { type: "lengthMismatch" }, 2, "completed"],
    ["an empty body", { type: "empty" }, 2, "completed"],
    ["a web page for a minute", { type: "html" }, 8, "completed"],
    ["a web page permanently", { type: "html" }, "forever", failed("source_corrupt", DAMAGED)],
    ["wrong first bytes", { type: "wrongMagic" }, 1, "completed"],
    ["a stall midway", { type: "stall", afterBytes: 1_000 }, 1, "completed"],
    ["a very slow body", { type: "slow", bytesPerSecond: 50 }, 1, "completed"],
    ["a reset midway", { type: "resetMidBody" }, 2, "completed"],
    ["a body that never ends", { type: "endless" }, 1, "completed"],
    ["an encoded body", { type: "gzipBomb" }, 1, "completed"],
    [
      "a redirect to a foreign host",
      { type: "redirect", location: "https://example.com/2.ts" },
      1,
      "completed",
    ],
  ];

  it.each(table)("ends as the retry policy defines: %s", async (_, fault, times, outcome) => {
    const custom = { segmentCount: 5, segmentSizeBytes: 700_000 };
    const { vodId, uploadId } = await world.addVod(custom, { segment: 2, fault, times });
    expect(await outcomeOf(vodId, uploadId, outcome)).toEqual(outcome);
  });
});

describe("two damaged segments", () => {
  const VOD = { segmentCount: 30, segmentSizeBytes: 700_000 };
  const EMPTY: Fault = { type: "empty" };

  async function addDamaged(times: number | "forever") {
    const added = await world.addVod(VOD, { segment: 2, fault: EMPTY, times });
    await world.twitch.control.addFault({
      match: { kind: "segment", vodId: added.vodId, segmentIndex: 25 },
      fault: EMPTY,
      times,
    });
    return added;
  }

  it("delay the others by seconds, and are waited for together", async () => {
    const { clock, hub } = world.context.platform;
    const { uploadId } = await addDamaged("forever");
    const startedAt = clock.now();
    let othersStoredAt = Infinity;
    const { unsubscribe } = await hub.subscribe(UPLOADS_TOPIC, null, ({ data }) => {
      const message = uploadStreamMessageSchema.parse(JSON.parse(data));
      if (message.type === "upload_update" && message.upload.metadata.segmentsDownloaded === 28)
        othersStoredAt = Math.min(othersStoredAt, clock.now());
    });
    const upload = await world.archiveToEnd(uploadId);
    unsubscribe();
    expect(upload.errorMessage).toMatch(/^Damaged at the source: 00:00:20-00:00:30 and 00:04:10-/);
    expect(othersStoredAt - startedAt).toBeLessThan(120_000);
    expect(clock.now() - startedAt).toBeLessThan(420_000);
  });

  it("are stored in their places if the source has them whole at the end", async () => {
    const { uploadId, vodId } = await addDamaged(6);
    expect(await outcomeOf(vodId, uploadId, "completed")).toBe("completed");
  });
});

it("while a segment is fetched again, the upload says why it waits", async () => {
  const { hub } = world.context.platform;
  const vod = await world.twitch.control.addVod({ segmentCount: 5 });
  await world.twitch.control.addFault({
    match: { kind: "segment", vodId: vod.id, segmentIndex: 2 },
    fault: { type: "html" },
    times: 6,
  });
  const reasons = new Set<string | null>();
  const { unsubscribe } = await hub.subscribe(UPLOADS_TOPIC, null, ({ data }) => {
    const message = uploadStreamMessageSchema.parse(JSON.parse(data));
    if (message.type === "upload_update" && message.upload.phase === "waiting")
      reasons.add(message.upload.errorMessage);
  });
  const upload = await world.archiveToEnd(await world.addUpload(vod.id));
  unsubscribe();
  expect([...reasons]).toEqual([expect.stringMatching(/^Segment 2: it is a page of text/)]);
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
});

describe("a segment truncated at a packet boundary, with a matching length", () => {
  const CUT = { type: "truncate", afterBytes: 188 * 500 } as const;

  it("is fetched again until it is complete", async () => {
    const cut = { segment: 2, fault: CUT, times: 2 };
    const { vodId, uploadId } = await world.addVod({ segmentCount: 5 }, cut);
    expect(await outcomeOf(vodId, uploadId, "completed")).toBe("completed");
  });

  it("is kept and logged if the source always returns it", async () => {
    const { uploadId } = await world.addVod({ segmentCount: 30 }, { fault: CUT, times: "forever" });
    const upload = await world.archiveToEnd(uploadId);
    await world.twitch.control.clearFaults();
    expect(upload.status).toBe("completed");
    expect((await world.storedDigest(upload.fileKey ?? "")).sizeBytes).toBe(30 * CUT.afterBytes);
    const notes =
      world.log().match(/Segment \d+ is kept as the source has it, although its/g) ?? [];
    expect(notes.length).toBeGreaterThanOrEqual(3);
    // The check stops after three; up to five concurrent fetches are retried as well.
    expect(notes.length).toBeLessThanOrEqual(3 + 5);
  });
});

describe("a variant or fault of the VOD", () => {
  it.each([
    ["a discontinuity with a new init section", "2000001040", "completed"],
    ["HEVC", "2000001030", "completed"],
    ["a reconnect", "2000001041", "completed"],
    ["muted segments", "2000001050", "completed"],
    ["muted fragments", "2000001051", "completed"],
    ["a muted highlight", "2000001052", "completed"],
    ["restricted to subscribers", "2000001060", failed("needs_entitlement")],
    ["restricted to another country", "2000001070", failed("needs_entitlement")],
    ["deleted", "2000001080", failed("gone_at_source")],
    ["deleted midway", "2000001090", failed("gone_at_source", /kept as a partial file/)],
    ["missing segments in the middle", "2000001130", failed("gone_at_source")],
    ["a missing last segment", "2000001131", failed("gone_at_source")],
    ["three init ranges", "2000001043", "completed"],
    ["comments that are null at first", "2000001150", "completed"],
    ["no playback token at first", "2000001153", "completed"],
    ["retired queries", "2000001154", "completed"],
  ] as readonly [string, string, Outcome][])("ends as expected: %s", async (_, vodId, outcome) => {
    expect(await outcomeOf(vodId, await world.addUpload(vodId), outcome)).toEqual(outcome);
  });

  it("follows a growing broadcast until it ends", async () => {
    const { vodId, uploadId } = await world.addVod({
      segmentCount: 3,
      segmentSizeBytes: 300_000,
      growing: {},
    });
    const archiving = world.archiveToEnd(uploadId);
    await world.context.platform.clock.sleep(30_000);
    await world.twitch.control.grow(vodId, 4);
    await world.context.platform.clock.sleep(30_000);
    await world.twitch.control.end(vodId);
    const upload = await archiving;
    expect(upload).toMatchObject({ status: "completed" });
    expect(await world.holdsVod(upload, vodId)).toBe(true);
  });
});
