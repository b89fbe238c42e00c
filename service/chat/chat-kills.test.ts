import * as fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { Platform } from "#service/platform.ts";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import * as z from "zod/mini";

const world = await openArchiveWorld({ clockFactor: 50 });
afterAll(() => world.close());

const COMMENTS = 100_000;
const KILLS = 30;
const PAGE = 200;
const COMMENTS_PER_MINUTE = 1_000;

/** Requests to the source that were sent. */
let requests = 0;

/** A process that dies at its `steps`th use of the platform, before or after its effect. */
function killedAfter(steps: number, hasEffect = false): (platform: Platform) => Platform {
  let left = steps;
  async function step<Result>(use: () => Promise<Result>): Promise<Result> {
    left -= 1;
    if (left > 0) return await use();
    if (left === 0 && hasEffect) await use();
    throw new Error("The process was killed");
  }
  return ({ database, objects, fetch, ...platform }) => ({
    ...platform,
    database: {
      ...database,
      all: (statement) => step(() => database.all(statement)),
      run: (...write) => step(() => database.run(...write)),
      batch: (...write) => step(() => database.batch(...write)),
    },
    objects: {
      ...objects,
      get: (...read) => step(() => objects.get(...read)),
      put: (...write) => step(() => objects.put(...write)),
      createMultipart: (...write) => step(() => objects.createMultipart(...write)),
      uploadPart: (...write) => step(() => objects.uploadPart(...write)),
      completeMultipart: (...write) => step(() => objects.completeMultipart(...write)),
    },
    fetch: (...request) =>
      step(() => {
        requests += 1;
        return fetch(...request);
      }),
  });
}

const chatFile = z.object({
  comments: z.array(z.object({ _id: z.string(), content_offset_seconds: z.number() })),
});

it(`a chat of ${COMMENTS} messages survives ${KILLS} kills: none is lost, none is there twice, at most a page is repeated`, async () => {
  const { database } = world.context.platform;
  const { uploadId } = await world.addVod({
    segmentCount: 600,
    segmentSizeBytes: 2_000,
    commentsPerMinute: COMMENTS_PER_MINUTE,
    commentsPerPage: PAGE,
  });
  const moments = fc.sample(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.boolean()), {
    numRuns: KILLS,
    seed: 3,
  });
  for (const moment of moments) {
    await world
      .newChats(killedAfter(...moment))
      .sweep()
      .catch(() => undefined);
    // Its lease has expired.
    await database.run(sql`UPDATE jobs SET lease_until = 0, due_at = 0 WHERE kind = 'chat'`);
  }
  const early = await world.upload(uploadId);
  expect(early.chat.state).toBe("reading");
  const lost = await database.all(sql`SELECT object_key FROM chat_pieces
    WHERE object_key IN (SELECT key FROM jobs WHERE kind = 'removal')`);
  expect(lost).toEqual([]);
  const upload = await world.readChatToEnd(uploadId, world.newChats(killedAfter(Infinity)));
  // A kill repeats the page that was being read; the next reader begins with the last second.
  const repeatedSeconds = (KILLS * COMMENTS_PER_MINUTE) / 60;
  const pages = Math.ceil((COMMENTS + repeatedSeconds) / PAGE);
  expect(requests).toBeGreaterThanOrEqual(COMMENTS / PAGE);
  expect(requests).toBeLessThanOrEqual(pages + KILLS);
  const text = await world.storedText(upload.debugInfo.chatFileId ?? "none");
  const { comments } = chatFile.parse(JSON.parse(text));
  expect([comments.length, new Set(comments.map(({ _id }) => _id)).size]).toEqual([
    COMMENTS,
    COMMENTS,
  ]);
  const offsetsSec = comments.map((comment) => comment.content_offset_seconds);
  expect(offsetsSec).toEqual(offsetsSec.toSorted((one, other) => one - other));
  const { keys } = await world.storeContents();
  const planned = await database.all(sql`SELECT key FROM jobs WHERE kind = 'removal'`);
  const removed = new Set(planned.map(({ key }) => key));
  expect(keys.filter((key) => key.startsWith("chat-pieces/") && !removed.has(key))).toEqual([]);
});
