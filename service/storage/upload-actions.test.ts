import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { carryOutRemovals } from "./store-removals.ts";
import { cancelUpload, deleteUpload, retryUpload } from "./upload-actions.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

function input(uploadId: string) {
  return { uploadId, actorId: "1005", reason: "test", requestId: "r", atMs: 1_000 };
}

it.each([
  { status: "completed", act: deleteUpload, name: "deleting", left: "orphaned" },
  { status: "failed", act: deleteUpload, name: "deleting", left: "orphaned" },
  { status: "pending", act: cancelUpload, name: "cancelling", left: "complete" },
])(
  "$name a $status upload with a file keeps the file and its related objects",
  async ({ status, act, left }) => {
    const { database } = world.context.platform;
    const { uploadId } = await world.addVod({ segmentCount: 2, segmentSizeBytes: 50_000 });
    const { fileKey } = await world.archiveToEnd(uploadId);
    const { keys: before } = await world.storeContents();
    await database.run(sql`UPDATE uploads SET status = ${status}, failure_class = 'ours'
      WHERE id = ${uploadId}`);
    expect(await act(world.context, input(uploadId))).toBe("done");
    await carryOutRemovals(world.context);
    const [file] = await database.all(sql`SELECT status FROM files WHERE object_key = ${fileKey}`);
    expect(file).toEqual({ status: left });
    expect((await world.storeContents()).keys).toEqual(before);
  },
);

it.each(["completed", "failed"])(
  "deleting a %s upload with its file leaves none of its objects in the store",
  async (status) => {
    const { database } = world.context.platform;
    const { uploadId } = await world.addVod({ segmentCount: 2, segmentSizeBytes: 50_000 });
    const { fileKey } = await world.archiveToEnd(uploadId);
    await database.run(sql`UPDATE uploads SET status = ${status}, failure_class = 'ours'
      WHERE id = ${uploadId}`);
    const result = await deleteUpload(world.context, { ...input(uploadId), file: "delete" });
    expect(result).toBe("done");
    await carryOutRemovals(world.context);
    expect(await database.all(sql`SELECT 1 FROM files WHERE object_key = ${fileKey}`)).toEqual([]);
    const { keys } = await world.storeContents();
    expect(keys.filter((key) => key.includes(uploadId))).toEqual([]);
    const [audit] = await database.all(sql`
      SELECT after FROM audit WHERE target = ${uploadId} AND action = 'upload.delete'`);
    expect(audit).toEqual({ after: '{"file":"deleted"}' });
  },
);

it("a retry reads a chat again that was given up, and plans nothing for another", async () => {
  const { database } = world.context.platform;
  const { uploadId } = await world.addVod({ segmentCount: 2, segmentSizeBytes: 50_000 });
  const reading = async (state: string) => {
    await database.batch([
      sql`DELETE FROM jobs WHERE kind = 'chat'`,
      sql`UPDATE chats SET state = ${state} WHERE upload_id = ${uploadId}`,
      sql`UPDATE uploads SET status = 'failed', failure_class = 'ours' WHERE id = ${uploadId}`,
    ]);
    expect(await retryUpload(world.context, input(uploadId))).toBe("done");
    return await database.all(sql`SELECT key FROM jobs WHERE kind = 'chat'`);
  };
  expect(await reading("partial")).toEqual([]);
  expect(await reading("none")).toEqual([{ key: uploadId }]);
});
