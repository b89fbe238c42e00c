import { afterAll, expect, it } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import * as z from "zod/mini";
import { eraseChatter } from "./chat-erasure-request.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const VOD = { segmentCount: 30, segmentSizeBytes: 20_000, commentsPerMinute: 60 };
const ACTOR = { actorId: userIdSchema.parse("1001"), requestId: "r1", address: "192.0.2.1" };

const chatFile = z.looseObject({
  video: z.looseObject({ created_at: z.string() }),
  comments: z.array(z.looseObject({ commenter: z.looseObject({ _id: z.string() }) })),
});

async function readStored(uploadId: string) {
  const { debugInfo } = await world.upload(uploadId);
  return chatFile.parse(JSON.parse(await world.storedText(debugInfo.chatFileId ?? "none")));
}

async function openErasures(): Promise<number> {
  const rows = await world.context.platform.database.all(
    sql`SELECT 1 FROM jobs WHERE kind = 'erasure'`,
  );
  return rows.length;
}

it("a person's name leaves the stored chats, those being read and later ones, and nothing else does", async () => {
  const { database } = world.context.platform;
  const stored = await world.addVod(VOD);
  await world.readChatToEnd(stored.uploadId);
  const before = await readStored(stored.uploadId);
  const sender = before.comments[0]?.commenter ?? { _id: "" };
  const others = before.comments.filter(({ commenter }) => commenter._id !== sender._id);
  expect(others.length).toBeGreaterThan(0);

  const reading = await world.addVod(VOD);
  expect(await eraseChatter(world.context, sender._id, ACTOR)).toBe(2);
  await world.runJobs("erasure");
  expect(await openErasures()).toBe(1);
  const after = await readStored(stored.uploadId);
  expect(JSON.stringify(after)).not.toContain(`"${sender._id}"`);
  expect(after).toEqual({
    ...before,
    comments: before.comments.map((comment) =>
      comment.commenter._id === sender._id
        ? { ...comment, commenter: { display_name: "Deleted user", _id: "", name: "" } }
        : comment,
    ),
  });

  await world.readChatToEnd(reading.uploadId);
  await world.runJobs("erasure");
  expect(await openErasures()).toBe(0);
  const later = await world.addVod(VOD);
  await world.readChatToEnd(later.uploadId);
  for (const { uploadId } of [reading, later]) {
    const ids = (await readStored(uploadId)).comments.map(({ commenter }) => commenter._id);
    expect([ids.includes(""), ids.includes(sender._id)]).toEqual([true, false]);
  }
  const audit = await database.all(sql`SELECT target FROM audit WHERE action = 'user.erase_chat'`);
  expect(audit).toEqual([{ target: sender._id }]);
});

it("a chat that was deleted meanwhile is not stored again", async () => {
  const { uploadId } = await world.addVod(VOD);
  await world.readChatToEnd(uploadId);
  const { database, objects } = world.context.platform;
  const key = (await world.upload(uploadId)).debugInfo.chatFileId ?? "none";
  const [first] = (await readStored(uploadId)).comments;
  await eraseChatter(world.context, first?.commenter._id ?? "", ACTOR);
  await database.run(sql`DELETE FROM jobs WHERE key <> ${uploadId}`);
  await world.runJobs("erasure", (platform) => ({
    ...platform,
    objects: {
      ...objects,
      async put(...args) {
        await database.batch([
          sql`UPDATE uploads SET chat_key = NULL WHERE id = ${uploadId}`,
          sql`UPDATE chats SET state = 'none' WHERE upload_id = ${uploadId}`,
        ]);
        return await objects.put(...args);
      },
    },
  }));
  expect(
    await database.all(sql`SELECT key FROM jobs WHERE kind = 'removal' AND key = ${key}`),
  ).toHaveLength(1);
});

it("a chat states when its broadcast began", async () => {
  const { database } = world.context.platform;
  const recordedAt = "2026-08-01T12:00:00.000Z";
  const { uploadId } = await world.addVod(VOD);
  await database.run(sql`UPDATE uploads SET recorded_at = ${Date.parse(recordedAt)}
    WHERE id = ${uploadId}`);
  await world.readChatToEnd(uploadId);
  expect((await readStored(uploadId)).video.created_at).toBe(recordedAt);
});

it("a name that is to go while another one is taken out goes as well", async () => {
  const { database, objects, clock } = world.context.platform;
  await database.run(sql`DELETE FROM jobs`);
  const { uploadId } = await world.addVod(VOD);
  await world.readChatToEnd(uploadId);
  const { comments } = await readStored(uploadId);
  const [one = "", other = ""] = new Set(
    comments.map(({ commenter }) => commenter._id).filter((id) => id !== ""),
  );
  await eraseChatter(world.context, one, ACTOR);
  await database.run(sql`DELETE FROM jobs WHERE key <> ${uploadId}`);
  await world.runJobs("erasure", (platform) => ({
    ...platform,
    objects: {
      ...objects,
      async put(...args) {
        await clock.sleep(100);
        await eraseChatter(world.context, other, ACTOR);
        await database.run(sql`DELETE FROM jobs WHERE key <> ${uploadId}`);
        return await objects.put(...args);
      },
    },
  }));
  expect(await openErasures()).toBe(1);
  await world.runJobs("erasure");
  expect(await openErasures()).toBe(0);
  expect(JSON.stringify(await readStored(uploadId))).not.toContain(`"${other}"`);
});
