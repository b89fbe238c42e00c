import { afterAll, afterEach, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { createLeaseThief } from "#service/testing/lease-thief.ts";

const world = await openArchiveWorld();
afterEach(() => world.twitch.control.clearFaults());
afterAll(() => world.close());

const { clock, database, objects } = world.context.platform;
const thief = createLeaseThief(database, "chat");
const chats = world.newChats((platform) => ({
  ...platform,
  database: thief.database,
  objects: {
    ...objects,
    // So slow that the lease is renewed while pieces are joined.
    async get(...read) {
      await clock.sleep(25_000);
      return await objects.get(...read);
    },
  },
}));

/** Two pieces, and comments behind them. */
const LONG = {
  segmentCount: 30,
  segmentSizeBytes: 20_000,
  commentsPerMinute: 700,
  commentsPerPage: 400,
};

async function answered(body: string): Promise<string> {
  const { vodId, uploadId } = await world.addVod(LONG);
  const fault = { type: "body", body } as const;
  await world.twitch.control.addFault({
    match: { vodId, body: "omments" },
    fault,
    times: "forever",
  });
  return uploadId;
}

/** Ways of a chat to its end, or to its next slice. */
const CHATS = {
  "that is read whole": async () => (await world.addVod(LONG)).uploadId,
  "that waits for its source": () => answered('{"data":null}'),
  async "whose video grows"() {
    return (await world.addVod({ ...LONG, growing: { initialSegments: 3 } })).uploadId;
  },
  async "that has lost a piece"() {
    const { uploadId } = await world.addVod(LONG);
    await database.batch([
      sql`INSERT INTO chat_pieces (upload_id, number, object_key, size_bytes)
        VALUES (${uploadId}, 0, 'chat-pieces/none/0-0', 1)`,
      sql`UPDATE chats SET pieces = 1, read_until_sec = 1 WHERE upload_id = ${uploadId}`,
    ]);
    return uploadId;
  },
  async "that is gone"() {
    const uploadId = await answered('{"data":{"video":null}}');
    await database.run(sql`UPDATE chats SET gone_answers = 3 WHERE upload_id = ${uploadId}`);
    return uploadId;
  },
};

it.each(Object.entries(CHATS))(
  "whichever write of a chat %s finds its lease lost, it changes no row",
  async (_, prepare) => {
    let thefts = 0;
    for (;;) {
      await database.run(sql`UPDATE chats SET state = 'none'`);
      const uploadId = await prepare();
      thief.arm(uploadId);
      await chats.sweep();
      const theft = thief.theft();
      if (theft === undefined) break;
      thefts += 1;
      expect({ write: theft.write, rows: theft.after }).toEqual({
        write: theft.write,
        rows: theft.before,
      });
    }
    expect(thefts).toBeGreaterThan(0);
  },
);
