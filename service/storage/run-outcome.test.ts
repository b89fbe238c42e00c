import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { archiveRow } from "#service/archiver/archive-run.ts";
import { ArchiveFailed, TryLater } from "./run-end.ts";
import { recordFailure } from "./run-failure.ts";
import { recordWait } from "./run-wait.ts";
import { recordCheckpoint } from "./checkpoint.ts";
import { batchUnderLease, endLease, takeLease } from "./lease.ts";
import { createProgress } from "./lease-run.ts";
import { retryUpload } from "./upload-actions.ts";

let uploadId: string;
const world = await openArchiveWorld();
afterAll(() => world.close());

/** Ends a run at `nowMs` by waiting; returns the upload's state and its delay. */
async function waitAt(nowMs: number, reason: TryLater, storesPart = false) {
  const { platform } = world.context;
  const then = { ...platform, clock: { ...platform.clock, now: () => nowMs } };
  const lease = await takeLease(then, "runner", uploadId);
  if (lease === null) throw new Error(`The upload is not due at ${nowMs}`);
  if (storesPart)
    await batchUnderLease(then.database, lease, recordCheckpoint(lease, [], 0, nowMs));
  const row = archiveRow.parse(lease.row);
  await recordWait({ context: { ...world.context, platform: then }, lease }, row, reason);
  const [found] = await platform.database.all(sql`
    SELECT status, failure_class, next_attempt_at FROM uploads WHERE id = ${uploadId}`);
  return {
    status: found?.status,
    failureClass: found?.failure_class,
    waitMs: Number(found?.next_attempt_at) - nowMs,
  };
}

it("an upload waits as long as the source asks and cannot be leased earlier", async () => {
  uploadId = await world.addUpload("1");
  const reason = new TryLater("source", "Too many requests.", { retryAfterMs: 3_600_000 });
  expect(await waitAt(1_000, reason)).toMatchObject({ status: "processing", waitMs: 3_600_000 });
  await expect(waitAt(3_600_999, reason)).rejects.toThrow("not due");
  expect(await waitAt(3_601_000, reason)).toMatchObject({ status: "processing" });
});

it("delays double up to five minutes, with half of each as jitter", async () => {
  uploadId = await world.addUpload("1");
  let nowMs = 1_000;
  for (let tries = 0; tries < 10; tries += 1) {
    const { waitMs } = await waitAt(nowMs, new TryLater("storage", "The store is away."));
    const longestMs = Math.min(300_000, 5_000 * 2 ** tries);
    expect(waitMs).toBeGreaterThanOrEqual(longestMs / 2);
    expect(waitMs).toBeLessThanOrEqual(longestMs);
    nowMs += waitMs;
  }
});

it.each(["source", "storage"] as const)(
  "an outage of the %s of 26 hours ends no upload",
  async (origin) => {
    uploadId = await world.addUpload("1");
    const reason = new TryLater(origin, "It answers with status 502.");
    for (let nowMs = 1_000; nowMs < 26 * 3_600_000;) {
      const { status, waitMs } = await waitAt(nowMs, reason);
      expect(status).toBe("processing");
      nowMs += waitMs;
    }
  },
);

it("an internal error is retried five times in a row; a stored part resets the count", async () => {
  uploadId = await world.addUpload("1");
  const reason = new TryLater("internal", "An error of ours.");
  let nowMs = 1_000;
  for (let tries = 0; tries < 10; tries += 1) {
    const { status, waitMs } = await waitAt(nowMs, reason, tries === 5);
    expect([tries, status]).toEqual([tries, "processing"]);
    nowMs += waitMs;
  }
  expect(await waitAt(nowMs, reason)).toMatchObject({ status: "failed", failureClass: "ours" });
  expect(
    await world.context.platform.database.all(
      sql`SELECT link FROM notification_events WHERE subject = ${uploadId}`,
    ),
  ).toEqual([{ link: `/uploads?upload=${uploadId}` }]);
});

it("only the failure after the last retry is announced as out of retries", async () => {
  uploadId = await world.addUpload("1");
  const { context } = world;
  const { clock, database } = context.platform;
  const { maxRetries } = await world.upload(uploadId);
  for (let retries = 0; retries <= maxRetries; retries += 1) {
    const lease = await takeLease(context.platform, "runner", uploadId);
    if (lease === null) throw new Error("The upload is not due");
    const failure = new ArchiveFailed("gone_at_source", "The VOD was deleted.");
    await recordFailure({ context, lease }, archiveRow.parse(lease.row), failure);
    const action = { uploadId, actorId: null, atMs: clock.now() };
    const isLast = retries === maxRetries;
    expect(await retryUpload(context, action)).toBe(isLast ? "refused" : "done");
  }
  const events = await database.all(sql`
    SELECT type FROM notification_events WHERE subject = ${uploadId} ORDER BY seq`);
  expect(events.map(({ type }) => type)).toEqual([
    ...Array<string>(maxRetries).fill("upload_failed"),
    "retries_exhausted",
  ]);
});

it("an upload keeps waiting while the store is full", async () => {
  uploadId = await world.addUpload("1");
  let nowMs = 1_000;
  for (let tries = 0; tries < 100; tries += 1) {
    const { status, waitMs } = await waitAt(nowMs, new TryLater("space", "The disk is full."));
    expect([tries, status]).toEqual([tries, "processing"]);
    nowMs += waitMs;
  }
  const upload = await world.upload(uploadId);
  expect(upload).toMatchObject({ errorMessage: "The disk is full.", retryCount: 0 });
});

it("an archive with three runs whose process ended while planning fails; a retry plans it", async () => {
  const { vodId, uploadId: id } = await world.addVod({ segmentCount: 1 });
  const { platform } = world.context;
  for (const owner of ["first", "second", "third"]) await takeLease(platform, owner, id);
  expect(await world.archiveToEnd(id)).toMatchObject({
    status: "failed",
    failureClass: "ours",
    errorMessage: expect.stringContaining("stopped at each of 3 attempts"),
  });
  await retryUpload(world.context, { uploadId: id, actorId: null, atMs: platform.clock.now() });
  for (const owner of ["first", "second"]) await takeLease(platform, owner, id);
  const archived = await world.archiveToEnd(id);
  expect(archived).toMatchObject({ status: "completed" });
  expect(await world.holdsVod(archived, vodId)).toBe(true);
});

it("a run that copies or ends in order is no lost start", async () => {
  const id = await world.addUpload("1");
  const { platform } = world.context;
  async function lostStarts(): Promise<unknown> {
    const [row] = await platform.database.all(
      sql`SELECT lost_starts FROM uploads WHERE id = ${id}`,
    );
    return row?.lost_starts;
  }
  async function begin(owner: string) {
    const lease = await takeLease(platform, owner, id);
    if (lease === null) throw new Error("The upload is not due");
    return lease;
  }
  const progress = createProgress(
    platform,
    await begin("first"),
    {
      phase: "planning",
      segmentsDone: 0,
      lastSegment: null,
      bytesDone: 0,
      segmentsTotal: null,
      done: 0,
      total: 0,
      durationTotalSec: null,
      estimatedBytes: null,
      mutedRanges: [],
      missingRanges: [],
      reachedPercentage: 0,
    },
    [],
  );
  await progress.flush();
  expect(await lostStarts()).toBe(1);
  progress.state.phase = "copying";
  await progress.flush();
  expect(await lostStarts()).toBe(0);
  const lease = await begin("second");
  expect(await lostStarts()).toBe(1);
  await batchUnderLease(platform.database, lease, [endLease(lease, platform.clock.now())]);
  expect(await lostStarts()).toBe(0);
});
