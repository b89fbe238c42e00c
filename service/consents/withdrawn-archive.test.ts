import { afterAll, expect, test } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { withdraw } from "./consent-change.ts";

const world = await openArchiveWorld({ clockFactor: 15 });
const { platform } = world.context;
afterAll(() => world.close());

/** A reader of chats whose first request waits for `answer`. */
function holdChats() {
  const asked = Promise.withResolvers<undefined>();
  const answer = Promise.withResolvers<undefined>();
  const chats = world.newChats(({ fetch, ...same }) => ({
    ...same,
    async fetch(url, ...request) {
      asked.resolve(undefined);
      await answer.promise;
      return await fetch(url, ...request);
    },
  }));
  const reading = chats.sweep();
  return { reading, asked: asked.promise, answer: () => answer.resolve(undefined) };
}

async function withdrawAs(ownerId: string, by = platform): Promise<void> {
  const actorId = userIdSchema.parse(ownerId);
  await withdraw(by, "owner", { actorId, requestId: "withdrawal" });
}

test("a withdrawn consent stops a running copy and its chat, which continue once it is given again", async () => {
  const { vodId, uploadId } = await world.addVod({
    segmentCount: 24,
    segmentSizeBytes: 3_000_000,
    paceBytesPerSecond: 30_000_000,
  });
  const { userId: ownerId } = await world.upload(uploadId);
  await platform.database.batch([
    sql`UPDATE uploads SET rights = 'owner_signed_in', consent_text_version = 1`,
    sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES (${ownerId}, 1, 0)`,
  ]);
  const { reading, asked, answer } = holdChats();
  await asked;
  const running = world.archiver.consume({ uploadId });
  await expect
    .poll(async () => (await world.upload(uploadId)).processedSize, { interval: 20 })
    .toBeGreaterThan(0);
  await withdrawAs(ownerId);
  answer();
  await Promise.all([running, reading]);
  expect(await platform.database.all(sql`SELECT state, read_until_sec FROM chats`)).toEqual([
    { state: "reading", read_until_sec: null },
  ]);
  const paused = await world.upload(uploadId);
  expect(paused).toMatchObject({
    status: "processing",
    errorMessage: expect.stringContaining("has withdrawn consent"),
  });
  expect(await platform.database.all(sql`SELECT 1 FROM upload_parts`)).not.toEqual([]);
  await world.archiver.sweep();
  await world.archiver.consume({ uploadId });
  await world.newArchiver().consume({ uploadId });
  await world.chats.sweep();
  expect(await world.upload(uploadId)).toEqual(paused);

  await platform.database.batch([
    sql`UPDATE consents SET withdrawn_at = NULL`,
    sql`UPDATE uploads SET error_message = NULL`,
  ]);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload.status).toBe("completed");
  expect(await world.holdsVod(upload, vodId)).toBe(true);
  expect((await world.readChatToEnd(uploadId)).chat.state).toBe("complete");
});

test("who read a chat before a withdrawal writes nothing, although consent was given again", async () => {
  const { uploadId } = await world.addVod({ segmentCount: 2 });
  const { userId: ownerId } = await world.upload(uploadId);
  const { reading, asked, answer } = holdChats();
  await asked;
  await withdrawAs(ownerId);
  await platform.database.run(sql`UPDATE consents SET withdrawn_at = NULL`);
  answer();
  await reading;
  expect(
    await platform.database.all(sql`SELECT state, read_until_sec FROM chats
      WHERE upload_id = ${uploadId}`),
  ).toEqual([{ state: "reading", read_until_sec: null }]);
});

test("a copy that ran at a withdrawal writes nothing more, although consent was given again", async () => {
  const { uploadId } = await world.addVod({ segmentCount: 2 });
  const { userId: ownerId } = await world.upload(uploadId);
  await platform.database
    .run(sql`INSERT OR REPLACE INTO consents (owner_id, text_version, agreed_at)
    VALUES (${ownerId}, 1, 0)`);
  const asked = Promise.withResolvers<undefined>();
  const answer = Promise.withResolvers<undefined>();
  const archiver = world.newArchiver((same) => ({
    ...same,
    async receive(address, init) {
      if (address.endsWith(".ts")) {
        asked.resolve(undefined);
        await answer.promise;
      }
      return await (same.receive ?? same.fetch)(address, init);
    },
  }));
  const running = archiver.consume({ uploadId });
  await asked.promise;
  // In another process, of which this one hears nothing.
  const elsewhere = { ...platform, hub: { ...platform.hub, publish: async () => undefined } };
  await withdrawAs(ownerId, elsewhere);
  const paused = await world.upload(uploadId);
  expect(paused.errorMessage).toContain("has withdrawn consent");
  await platform.database.run(sql`UPDATE consents SET withdrawn_at = NULL`);
  answer.resolve(undefined);
  await running;
  expect(await world.upload(uploadId)).toEqual(paused);
});
