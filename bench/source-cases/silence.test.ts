import { expect, it } from "vitest";
import type { Upload } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import { createLeaseThief, type LeaseThief } from "#service/testing/lease-thief.ts";
import { openSourceCases } from "./source-case.ts";

/** A source that accepts requests and sends nothing, until the upload counts as stalled. */

let thief: LeaseThief | undefined;
const world = await openSourceCases({
  settings: { STALL_AFTER_MS: "240000" },
  changePlatform(platform) {
    thief = createLeaseThief(platform.database);
    return { ...platform, database: thief.database };
  },
});

const VOD = { segmentCount: 12, segmentSizeBytes: 3_000_000 };
const SILENT = { type: "stall", afterBytes: 0 } as const;

async function eventsOf(uploadId: string): Promise<unknown[]> {
  const rows = await world.context.platform.database.all(sql`
    SELECT type FROM notification_events WHERE subject = ${uploadId} ORDER BY seq`);
  return rows.map((row) => row.type);
}

it("a single stall is reported, then cleared once the upload recovers", async () => {
  const fault = {
    segment: 1,
    fault: SILENT,
    forMs: world.context.settings.STALL_AFTER_MS + 30_000,
  };
  const { vodId, uploadId } = await world.addVod(VOD, fault);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({ status: "completed", debugInfo: { isStalled: false } });
  expect(await eventsOf(uploadId)).toEqual(["upload_stalled", "upload_completed"]);
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});

it("a stall stays visible, and a second one fails the upload without lowering its progress", async () => {
  const fault = { segment: 8, fault: SILENT, times: "forever" } as const;
  const { uploadId } = await world.addVod(VOD, fault);
  const seen: Upload[] = [];
  const over = new AbortController();
  const watching = (async () => {
    for (; !over.signal.aborted; await world.context.platform.clock.sleep(5_000))
      seen.push(await world.upload(uploadId));
  })();
  expect(await world.archiveToEnd(uploadId)).toMatchObject({
    status: "failed",
    failureClass: "try_later",
    errorMessage: expect.stringContaining("second time"),
  });
  over.abort();
  await watching;
  expect(await eventsOf(uploadId)).toEqual(["upload_stalled", "upload_failed"]);
  const running = seen.filter(({ status }) => status === "processing");
  const firstStalled = running.findIndex(({ debugInfo }) => debugInfo.isStalled);
  expect(firstStalled).toBeGreaterThan(0);
  for (const { debugInfo } of running.slice(firstStalled))
    expect(debugInfo).toMatchObject({
      isStalled: true,
      stallReason: expect.stringContaining("sent no data for 4 minutes"),
    });
  const reached = running.map(({ progress }) => progress);
  expect(reached).toEqual(reached.toSorted((one, other) => one - other));
});

it("a stall is not recorded without the lease", async () => {
  const { uploadId } = await world.addVod(VOD, { fault: SILENT, times: "forever" });
  thief?.arm(uploadId, /stall_count = stall_count \+ 1/);
  await world.archiver.consume({ uploadId });
  const theft = thief?.theft();
  expect(theft?.write).toContain("stall_count");
  expect(theft?.after).toBe(theft?.before);
});
