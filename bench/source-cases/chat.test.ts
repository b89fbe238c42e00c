import * as z from "zod/mini";
import { describe, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { userIdSchema } from "#contract/ids.ts";
import { readChatAgain } from "#service/chat/chat-request.ts";
import { sql } from "#service/db/sql.ts";
import { dropChat } from "#service/storage/chat-record.ts";
import { createJobHandlers } from "#service/job-handlers.ts";
import { createJobRunner } from "#service/jobs/job-runner.ts";
import { plan } from "#service/jobs/jobs.ts";
import { carryOutRemovals } from "#service/storage/store-removals.ts";
import { cancelUpload, deleteUpload } from "#service/storage/upload-actions.ts";
import type { NewFault } from "#stand-ins/twitch/faults/fault.ts";
import { openSourceCases } from "./source-case.ts";

const world = await openSourceCases();

/** Five minutes with 300 comments, on pages of 60. */
const SMALL = { segmentCount: 30, segmentSizeBytes: 20_000, commentsPerMinute: 60 };

/** Texts that only the request for a page contains: the cursors of the 120th and 180th comment. */
const THIRD_PAGE = btoa('{"id":"119",');
const FOURTH_PAGE = btoa('{"id":"179",');

/** A chat with pages of 177 kB: three make a piece, and the fourth is the tail. */
const DENSE = { ...SMALL, commentsPerMinute: 500, commentsPerPage: 400 };
const DENSE_FIFTH_PAGE = btoa('{"id":"1599"');

const NO_SUCH_VIDEO = { type: "body", body: '{"data":{"video":null}}' } as const;

/** The ids in a stored chat, in order. */
async function storedIds({ debugInfo }: Upload): Promise<readonly string[]> {
  const text = await world.storedText(debugInfo.chatFileId ?? "none");
  return storedChat.parse(JSON.parse(text)).comments.map(({ _id }) => _id);
}

const storedChat = z.object({ comments: z.array(z.object({ _id: z.string() })) });

async function eventsOf(uploadId: string): Promise<readonly unknown[]> {
  const rows = await world.context.platform.database.all(sql`
    SELECT type FROM notification_events WHERE subject = ${uploadId}`);
  return rows.map(({ type }) => type);
}

/** Pieces that nobody is going to remove. */
async function keptPieces(): Promise<readonly string[]> {
  const { keys } = await world.storeContents();
  const [removals] = await world.context.platform.database.all(sql`
    SELECT json_group_array(key) AS keys FROM jobs WHERE kind = 'removal'`);
  return keys.filter(
    (key) => key.startsWith("chat-pieces/") && !String(removals?.keys).includes(key),
  );
}

const UNAVAILABLE = { type: "status", status: 503 } as const;

it.each<[string, Omit<NewFault, "match">]>([
  ["one reset", { fault: { type: "reset" } }],
  ["one timeout", { fault: { type: "stall" } }],
  ["one answer without data", { fault: { type: "body", body: '{"data":null}' } }],
  ["one cut answer", { fault: { type: "truncate", afterBytes: 500 } }],
  ["20 s of errors", { fault: { type: "gqlError", message: "service timeout" }, times: 40 }],
  ["minutes of 503", { fault: UNAVAILABLE, times: 200 }],
  ['a wrong "no such video"', { fault: NO_SUCH_VIDEO, times: 3 }],
])("a chat loses nothing by %s", async (_, fault) => {
  const { vodId, uploadId } = await world.addVod(SMALL);
  await world.twitch.control.addFault({ ...fault, match: { vodId, body: FOURTH_PAGE } });
  const upload = await world.readChatToEnd(uploadId);
  const ids = await storedIds(upload);
  expect({ state: upload.chat.state, comments: ids.length, distinct: new Set(ids).size }).toEqual({
    state: "complete",
    comments: 300,
    distinct: 300,
  });
  expect(await eventsOf(uploadId)).toEqual([]);
  expect(await keptPieces()).toEqual([]);
});

/** A VOD whose chat is read as far as a page that its source never gives. */
async function readUntil(page: string, vod: Parameters<typeof world.addVod>[0]) {
  const added = await world.addVod(vod);
  await world.twitch.control.addFault({
    match: { vodId: added.vodId, body: page },
    fault: { type: "reset" },
    times: "forever",
  });
  await world.chats.sweep();
  return added;
}

it("a chat whose video is deleted keeps what was read of it", async () => {
  const { vodId, uploadId } = await readUntil(FOURTH_PAGE, SMALL);
  await world.twitch.control.deleteVod(vodId);
  const upload = await world.readChatToEnd(uploadId);
  expect(upload.chat).toEqual({ state: "partial", untilSec: expect.any(Number), shortSeconds: [] });
  expect(await storedIds(upload)).toHaveLength(180);
  expect(await eventsOf(uploadId)).toEqual(["chat_incomplete"]);
  expect(await keptPieces()).toEqual([]);
});

it("a source that is down is asked again after a minute, then after twice the time", async () => {
  const { database, clock } = world.context.platform;
  const { vodId, uploadId } = await world.addVod(SMALL);
  await world.twitch.control.deleteVod(vodId);
  const delaysMs: number[] = [];
  for (let attempts = 0; attempts < 3; attempts += 1) {
    await database.run(sql`UPDATE jobs SET due_at = 0 WHERE key = ${uploadId}`);
    await world.chats.sweep();
    const [row] = await database.all(sql`SELECT due_at AS at FROM jobs WHERE key = ${uploadId}`);
    delaysMs.push(Number(row?.at) - clock.now());
  }
  // Half of each is random.
  for (const [index, minutes] of [1, 2, 4].entries()) {
    expect(delaysMs[index]).toBeLessThanOrEqual(minutes * 60_000);
    expect(delaysMs[index]).toBeGreaterThan(minutes * 20_000);
  }
});

it("a chat whose cursors are refused is read by offset", async () => {
  const { vodId, uploadId } = await world.addVod(SMALL);
  await world.twitch.control.addFault({
    match: { vodId, body: '"cursor"' },
    fault: { type: "gqlError", message: "failed integrity check" },
    times: "forever",
  });
  const upload = await world.readChatToEnd(uploadId);
  expect(upload.chat.state).toBe("complete");
  expect(new Set(await storedIds(upload)).size).toBe(300);
});

/** A second has more than a hundred comments. */
const RAID = { ...SMALL, commentsPerMinute: 80, raidAtSec: 60 };

it("a second that does not fit on a page is named while cursors are refused, and read again later", async () => {
  const { database, clock } = world.context.platform;
  const { vodId, uploadId } = await world.addVod(RAID);
  await world.twitch.control.addFault({
    match: { vodId, body: '"cursor"' },
    fault: { type: "gqlError", message: "failed integrity check" },
    times: "forever",
  });
  const first = await world.readChatToEnd(uploadId);
  expect(first.chat).toMatchObject({ state: "partial", shortSeconds: [60] });
  expect((await storedIds(first)).length).toBeLessThan(400);
  const delaysDays: number[] = [];
  for (;;) {
    const [row] = await database.all(sql`
      SELECT due_at AS at FROM jobs WHERE kind = 'chat' AND key = ${uploadId}`);
    if (row === undefined) break;
    delaysDays.push(Math.round((Number(row.at) - clock.now()) / 86_400_000));
    await world.chats.sweep();
    expect((await world.upload(uploadId)).chat.state).toBe("partial");
    expect((await world.readChatToEnd(uploadId)).chat).toEqual(first.chat);
  }
  expect(delaysDays).toEqual([1, 4, 16]);
  expect(await eventsOf(uploadId)).toEqual(["chat_incomplete"]);

  await database.batch([
    sql`UPDATE chats SET reread = 3 WHERE upload_id = ${uploadId}`,
    plan("chat", uploadId, 0),
  ]);
  await world.twitch.control.clearFaults();
  const upload = await world.readChatToEnd(uploadId);
  expect(upload.chat).toMatchObject({ state: "complete", shortSeconds: [] });
  expect(new Set(await storedIds(upload)).size).toBe(400);
});

it("a chat whose cursors lead back is read whole by offset", async () => {
  const { vodId, uploadId } = await world.addVod(SMALL);
  await world.twitch.control.addFault({
    match: { vodId, body: THIRD_PAGE },
    fault: { type: "replace", pattern: FOURTH_PAGE, replacement: btoa('{"id":"059",') },
    times: "forever",
  });
  const upload = await world.readChatToEnd(uploadId);
  expect(upload.chat).toMatchObject({ state: "complete", shortSeconds: [] });
  expect(new Set(await storedIds(upload)).size).toBe(300);
});

it("a chat of which the source never had any ends as gone", async () => {
  const { vodId, uploadId } = await world.addVod(SMALL);
  await world.twitch.control.deleteVod(vodId);
  const upload = await world.readChatToEnd(uploadId);
  expect(upload.chat).toEqual({ state: "gone", untilSec: null, shortSeconds: [] });
  expect(upload.debugInfo.chatFileId).toBeNull();
  expect(await eventsOf(uploadId)).toEqual(["chat_incomplete"]);
});

it("an archive is completed while its chat cannot be read, and gets the chat later", async () => {
  const { vodId, uploadId } = await world.addVod(SMALL);
  await world.twitch.control.addFault({
    match: { vodId, body: "omments" },
    fault: UNAVAILABLE,
    times: "forever",
  });
  await world.chats.sweep();
  const completed = await world.archiveToEnd(uploadId);
  expect(completed).toMatchObject({ status: "completed", chat: { state: "reading" } });
  await world.twitch.control.clearFaults();
  const upload = await world.readChatToEnd(uploadId);
  expect(upload).toMatchObject({ status: "completed", chat: { state: "complete" } });
  expect(await storedIds(upload)).toHaveLength(300);
});

describe("the chat of a growing video", () => {
  const GROWING = { ...SMALL, growing: { initialSegments: 18 } };

  it("is read while it grows, and closed after its end", async () => {
    const { vodId, uploadId } = await world.addVod(GROWING);
    await world.chats.sweep();
    const early = await world.upload(uploadId);
    expect(early.chat).toMatchObject({ state: "reading" });
    await world.twitch.control.grow(vodId, 12);
    await world.context.platform.clock.sleep(61_000);
    await world.chats.sweep();
    const later = await world.upload(uploadId);
    expect(later.chat.state).toBe("reading");
    expect(later.chat.untilSec).toBeGreaterThan(early.chat.untilSec ?? Infinity);
    await world.twitch.control.end(vodId);
    await world.archiveToEnd(uploadId);
    const upload = await world.readChatToEnd(uploadId);
    expect(upload.chat.state).toBe("complete");
    const ids = await storedIds(upload);
    expect([ids.length, new Set(ids).size]).toEqual([300, 300]);
  });

  it("is kept as far as it was read when the video is deleted at its end", async () => {
    const { vodId, uploadId } = await world.addVod(GROWING);
    await world.chats.sweep();
    await world.twitch.control.deleteVod(vodId);
    const upload = await world.readChatToEnd(uploadId);
    expect(upload.chat.state).toBe("partial");
    expect(await storedIds(upload)).toHaveLength(180);
  });
});

it("a comment of a deleted user has a sender, as readers of the format expect", async () => {
  const { uploadId } = await world.addVod(SMALL);
  const { debugInfo } = await world.readChatToEnd(uploadId);
  const text = await world.storedText(debugInfo.chatFileId ?? "none");
  expect(text).toContain('"commenter":{"display_name":"Deleted user","_id":"","name":""}');
  expect(text).not.toContain('"commenter":null');
});

/** The chat of a video that was deleted after three pages of it were read. */
async function keepPart(): Promise<{ uploadId: string; vodId: string }> {
  const added = await readUntil(FOURTH_PAGE, SMALL);
  await world.twitch.control.addFault({
    match: { vodId: added.vodId, body: "omments" },
    fault: NO_SUCH_VIDEO,
    times: "forever",
  });
  expect(await world.readChatToEnd(added.uploadId)).toMatchObject({ chat: { state: "partial" } });
  return added;
}

describe("asking for a chat again", () => {
  const ACTOR = { actorId: userIdSchema.parse("1005"), requestId: "r" };

  it("reads it from its start, and replaces what was stored", async () => {
    const { uploadId } = await keepPart();
    await world.twitch.control.clearFaults();
    await readChatAgain(world.context, uploadId, ACTOR);
    const upload = await world.readChatToEnd(uploadId);
    expect(upload.chat.state).toBe("complete");
    expect(await storedIds(upload)).toHaveLength(300);
    await expect(readChatAgain(world.context, uploadId, ACTOR)).rejects.toThrow("All of the chat");
  });

  it("keeps what was stored if the source has less", async () => {
    const { uploadId } = await keepPart();
    const { chat } = await world.upload(uploadId);
    await readChatAgain(world.context, uploadId, ACTOR);
    const upload = await world.readChatToEnd(uploadId);
    expect(upload.chat).toEqual(chat);
    expect(await storedIds(upload)).toHaveLength(180);
  });

  it("gets the chat of a file that never had one", async () => {
    const { database } = world.context.platform;
    const { uploadId } = await world.addVod(SMALL);
    await database.batch(dropChat(uploadId, 0));
    await world.archiveToEnd(uploadId);
    await readChatAgain(world.context, uploadId, ACTOR);
    const upload = await world.readChatToEnd(uploadId);
    expect(await storedIds(upload)).toHaveLength(300);
    const audit = await database.all(sql`
      SELECT action FROM audit WHERE target = ${uploadId} AND action LIKE 'upload.chat%'`);
    expect(audit.map(({ action }) => action)).toEqual(["upload.chat", "upload.chat_end"]);
  });
});

/** The chat has a piece and a tail, and waits for its source. */
async function readOnePiece(): Promise<string> {
  return (await readUntil(DENSE_FIFTH_PAGE, DENSE)).uploadId;
}

describe("a chat that is being read", () => {
  const ACTION = { actorId: null, atMs: 0 };

  it("is read from its start if the store damages a piece of it", async () => {
    const uploadId = await readOnePiece();
    const { objects } = world.context.platform;
    const [key] = (await keptPieces()).map((each) => objectKeySchema.parse(each));
    if (key === undefined) throw new Error("The chat has no piece");
    const { sizeBytes = 0 } = (await objects.head(key)) ?? {};
    await objects.put(key, new Uint8Array(sizeBytes), { contentType: "application/json" });
    await world.twitch.control.clearFaults();
    const upload = await world.readChatToEnd(uploadId);
    expect(upload.chat.state).toBe("complete");
    const ids = await storedIds(upload);
    expect([ids.length, new Set(ids).size]).toEqual([2_500, 2_500]);
  });

  it.each([
    ["cancelled", cancelUpload],
    ["deleted", deleteUpload],
  ] as const)("leaves nothing in the store when its upload is %s", async (_, act) => {
    const uploadId = await readOnePiece();
    const { database } = world.context.platform;
    const row = sql`SELECT state, tail <> '' AS hasTail FROM chats WHERE upload_id = ${uploadId}`;
    expect(await database.all(row)).toEqual([{ state: "reading", hasTail: 1 }]);
    expect(await keptPieces()).toHaveLength(1);
    expect(await act(world.context, { ...ACTION, uploadId })).toBe("done");
    expect(await keptPieces()).toEqual([]);
    const left = act === cancelUpload ? [{ state: "none", hasTail: 0 }] : [];
    expect(await database.all(row)).toEqual(left);
  });

  it("continues at once after the service has stopped", async () => {
    const { database, clock } = world.context.platform;
    const { uploadId } = await world.addVod({ ...SMALL, commentsPerMinute: 6_000 });
    const runner = createJobRunner(world.context, createJobHandlers(world.context, world.jobNeeds));
    await runner.round();
    await expect
      .poll(async () => (await world.upload(uploadId)).chat.untilSec, { interval: 5 })
      .not.toBeNull();
    await runner.stop();
    const [job] = await database.all(sql`
      SELECT attempts, lease_until, due_at FROM jobs WHERE key = ${uploadId}`);
    expect(job).toMatchObject({ attempts: 0, lease_until: null });
    expect(Number(job?.due_at)).toBeLessThanOrEqual(clock.now());
    expect((await world.upload(uploadId)).chat.state).toBe("reading");
    const ids = await storedIds(await world.readChatToEnd(uploadId));
    expect([ids.length, new Set(ids).size]).toEqual([30_000, 30_000]);
  });

  it("stores nothing more when its upload is deleted meanwhile", async () => {
    const { uploadId } = await world.addVod(SMALL);
    const reading = world.chats.sweep();
    await deleteUpload(world.context, { ...ACTION, uploadId });
    await reading;
    const { database } = world.context.platform;
    await database.run(sql`UPDATE jobs SET due_at = 0 WHERE kind = 'removal'`);
    await carryOutRemovals(world.context);
    const { keys } = await world.storeContents();
    expect(keys.filter((key) => key.includes(uploadId))).toEqual([]);
  });
});
