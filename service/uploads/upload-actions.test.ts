import { afterAll, beforeAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { cancelUpload, deleteUpload, retryUpload } from "./upload-actions.ts";

let world: ArchiveWorld;
beforeAll(async () => {
  world = await openArchiveWorld();
});
afterAll(() => world.close());

function input(uploadId: string) {
  return { uploadId, actorId: "1005", reason: "test", requestId: "r", atMs: 1_000 };
}

async function newUpload(status: string, retryCount = 0): Promise<string> {
  const vod = await world.twitch.control.addVod({ segmentCount: 2, segmentSizeBytes: 1_000 });
  const uploadId = await world.addUpload(vod.id);
  await world.context.platform.database.run(sql`
    UPDATE uploads SET status = ${status}, retry_count = ${retryCount} WHERE id = ${uploadId}`);
  return uploadId;
}

async function auditRows(uploadId: string, action: string): Promise<number> {
  const rows = await world.context.platform.database.all(sql`
    SELECT 1 FROM audit WHERE target = ${uploadId} AND action = ${action}`);
  return rows.length;
}

async function counters(): Promise<Record<string, unknown>> {
  const { database } = world.context.platform;
  const kept = await database.all(sql`
    SELECT substr(name, 9) AS status, value FROM counters
    WHERE name LIKE 'uploads.%' AND value <> 0 ORDER BY name`);
  return Object.fromEntries(kept.map((row) => [String(row.status), row.value]));
}

async function countedAnew(): Promise<Record<string, unknown>> {
  const rows = await world.context.platform.database.all(sql`
    SELECT status, count(*) AS value FROM uploads GROUP BY status ORDER BY status`);
  return Object.fromEntries(rows.map((row) => [String(row.status), row.value]));
}

it("fifty retries at once are one retry and one audit row", async () => {
  const uploadId = await newUpload("failed");
  await world.context.platform.database.run(
    sql`UPDATE uploads SET started_at = 500 WHERE id = ${uploadId}`,
  );
  const results = await Promise.all(
    Array.from({ length: 50 }, () => retryUpload(world.context, input(uploadId))),
  );
  expect(results.filter((result) => result === "done")).toHaveLength(1);
  expect(await world.upload(uploadId)).toMatchObject({
    status: "pending",
    retryCount: 1,
    // The time between attempts does not count towards the duration.
    startedAt: null,
  });
  expect(await auditRows(uploadId, "upload.retry")).toBe(1);
});

it("fifty cancels at once are one cancel and one audit row", async () => {
  const uploadId = await newUpload("processing");
  const results = await Promise.all(
    Array.from({ length: 50 }, () => cancelUpload(world.context, input(uploadId))),
  );
  expect(results.filter((result) => result === "done")).toHaveLength(1);
  expect(await auditRows(uploadId, "upload.cancel")).toBe(1);
});

it("fifty deletes at once are one delete; the others find nothing", async () => {
  const uploadId = await newUpload("failed");
  const results = await Promise.all(
    Array.from({ length: 50 }, () => deleteUpload(world.context, input(uploadId))),
  );
  expect(results.toSorted()).toEqual(["done", ...Array.from({ length: 49 }, () => "not_found")]);
  expect(await auditRows(uploadId, "upload.delete")).toBe(1);
});

it("retries, cancels and deletes in any mixture end in one state that the counters know", async () => {
  for (let round = 0; round < 30; round += 1) {
    const uploadId = await newUpload("failed");
    const actions = [retryUpload, cancelUpload, deleteUpload, retryUpload, cancelUpload];
    const rotated = actions.map((_, index) => actions[(index + round) % actions.length]);
    const results = await Promise.all(
      rotated.map((action) => action?.(world.context, input(uploadId))),
    );
    const deletions = rotated.filter(
      (action, index) => action === deleteUpload && results[index] === "done",
    );
    expect(deletions).toHaveLength(1);
  }
  expect(await counters()).toEqual(await countedAnew());
});

it("a retry beyond the limit is refused and changes nothing", async () => {
  const uploadId = await newUpload("failed", 3);
  expect(await retryUpload(world.context, input(uploadId))).toBe("refused");
  expect(await world.upload(uploadId)).toMatchObject({ status: "failed", retryCount: 3 });
});

it.each(["completed", "cancelled", "failed"])("a %s upload cannot be cancelled", async (status) => {
  const uploadId = await newUpload(status);
  expect(await cancelUpload(world.context, input(uploadId))).toBe("refused");
});

it.each([0, 30, 100, 250, 400])(
  "a cancel %i ms into an archive is final and leaves nothing in the store",
  async (delayMs) => {
    const vod = await world.twitch.control.addVod({
      segmentCount: 8,
      segmentSizeBytes: 3_000_000,
      paceBytesPerSecond: 40_000_000,
    });
    const uploadId = await world.addUpload(vod.id);
    const running = world.archiver.consume({ uploadId });
    await world.context.platform.clock.sleep(delayMs * 50);
    const result = await cancelUpload(world.context, input(uploadId));
    const cancelledAt = performance.now();
    await running;
    expect(result).toBe("done");
    expect(performance.now() - cancelledAt).toBeLessThan(5_000);
    expect(await world.upload(uploadId)).toMatchObject({ status: "cancelled", fileKey: null });
    await world.context.platform.clock.sleep(15_000);
    await world.archiver.sweep();
    await world.archiver.sweep();
    const { keys, multiparts } = await world.storeContents();
    expect(keys.filter((key) => key.includes(uploadId))).toEqual([]);
    expect(multiparts).toBe(0);
  },
);

it.each([
  { status: "completed", act: deleteUpload, name: "deleting", left: "orphaned" },
  { status: "failed", act: deleteUpload, name: "deleting", left: "orphaned" },
  { status: "pending", act: cancelUpload, name: "cancelling", left: "complete" },
])(
  "$name an upload that is $status and has a file keeps it, with what lies beside it",
  async ({ status, act, left }) => {
    const { database } = world.context.platform;
    const vod = await world.twitch.control.addVod({ segmentCount: 2, segmentSizeBytes: 50_000 });
    const uploadId = await world.addUpload(vod.id);
    const { fileKey } = await world.archiveToEnd(uploadId);
    const { keys: before } = await world.storeContents();
    await database.run(sql`UPDATE uploads SET status = ${status} WHERE id = ${uploadId}`);
    expect(await act(world.context, input(uploadId))).toBe("done");
    await world.archiver.sweep();
    const [file] = await database.all(sql`SELECT status FROM files WHERE object_key = ${fileKey}`);
    expect(file).toEqual({ status: left });
    expect((await world.storeContents()).keys).toEqual(before);
  },
);

it.each(["completed", "failed"])(
  "deleting a %s upload with its file leaves nothing of it in the store",
  async (status) => {
    const { database } = world.context.platform;
    const vod = await world.twitch.control.addVod({ segmentCount: 2, segmentSizeBytes: 50_000 });
    const uploadId = await world.addUpload(vod.id);
    const { fileKey } = await world.archiveToEnd(uploadId);
    await database.run(sql`UPDATE uploads SET status = ${status} WHERE id = ${uploadId}`);
    const result = await deleteUpload(world.context, { ...input(uploadId), file: "delete" });
    expect(result).toBe("done");
    await world.archiver.sweep();
    expect(await database.all(sql`SELECT 1 FROM files WHERE object_key = ${fileKey}`)).toEqual([]);
    const { keys } = await world.storeContents();
    expect(keys.filter((key) => key.includes(uploadId))).toEqual([]);
    const [audit] = await database.all(sql`
      SELECT after FROM audit WHERE target = ${uploadId} AND action = 'upload.delete'`);
    expect(audit).toEqual({ after: '{"file":"deleted"}' });
  },
);

it("a cancel and the completion of the same upload: exactly one of them took effect", async () => {
  for (let round = 0; round < 8; round += 1) {
    const vod = await world.twitch.control.addVod({ segmentCount: 1, segmentSizeBytes: 2_000 });
    const uploadId = await world.addUpload(vod.id);
    const running = world.archiver.consume({ uploadId });
    await world.context.platform.clock.sleep(round * 150);
    const result = await cancelUpload(world.context, input(uploadId));
    await running;
    const { status } = await world.upload(uploadId);
    expect({ result, status }).toEqual(
      result === "done"
        ? { result: "done", status: "cancelled" }
        : { result: "refused", status: "completed" },
    );
  }
});
