import { afterAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { listAudit } from "#contract/audit.ts";
import * as auth from "#contract/auth.ts";
import type { AnyCall } from "#contract/call.ts";
import { errorBodySchema } from "#contract/errors.ts";
import { browseFiles, matchingFiles } from "#contract/files.ts";
import { MAX_LOG_LINES, MAX_SEARCH_LENGTH, MAX_VIEW_NAME_LENGTH } from "#contract/limits.ts";
import { systemLogs } from "#contract/system.ts";
import {
  listFailedUploads,
  listUploads,
  matchingUploadIds,
  startUpload,
} from "#contract/uploads.ts";
import { banUser, listUsers } from "#contract/users.ts";
import { deleteView, listViews, saveView } from "#contract/views.ts";
import { sql } from "#service/db/sql.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { NAUGHTY_STRINGS } from "#service/testing/naughty-strings.ts";
import type { TestAnswer } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

type Naughty = { readonly text: string; readonly id: string; readonly userId: string };

/** Each text has its own upload, file, log line and user. */
const texts: readonly Naughty[] = NAUGHTY_STRINGS.map((text, index) => ({
  text,
  id: `naughty${index}`,
  userId: String(700_000 + index),
}));

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
const { platform } = vodkeep;
for (const { text, id, userId } of texts) {
  await seedUpload(platform.database, {
    id,
    status: "failed",
    title: text,
    errorMessage: text,
    ownerId: userId,
  });
  await platform.database.batch([
    sql`UPDATE users SET display_name = ${text} WHERE id = ${userId}`,
    sql`INSERT INTO logs (level, at, message, meta) VALUES
      ('debug', 0, ${text}, ${JSON.stringify({ id })}),
      ('info', 0, '', ${JSON.stringify({ id, text })})`,
  ]);
  await seedFile(platform, { key: `vods/1/2/${id}.ts`, filename: text });
}
afterAll(() => vodkeep.close());

/** Expects a success, or a 4xx refusal in the standard format. */
async function ask(method: string, path: string, body?: unknown): Promise<TestAnswer> {
  const answer = await admin.call(method, path, body === undefined ? {} : { body });
  expect([path, body, answer.status < 500]).toEqual([path, body, true]);
  if (answer.status >= 400) errorBodySchema.parse(JSON.parse(answer.text));
  return answer;
}

test("a ban's reason is stored unchanged, except that it is trimmed", async () => {
  for (const { text, userId } of texts) {
    const answer = await ask("POST", `/admin/users/${userId}/ban`, { reason: text });
    const reason = text.trim();
    expect([text, answer.status]).toEqual([text, reason === "" ? 400 : 200]);
    const kept = z.safeParse(banUser.data, answer.data).data?.banReason;
    expect(kept).toBe(reason === "" ? undefined : reason);
  }
});

type Searched = {
  readonly call: AnyCall;
  readonly query: string;
  /** How the answer identifies the entry of a text. */
  readonly markOf: (naughty: Naughty) => string;
};

const byId = ({ id }: Naughty) => `"${id}"`;
const byKey = ({ id }: Naughty) => `"vods/1/2/${id}.ts"`;
const SEARCHED: readonly Searched[] = [
  { call: listUploads, query: "limit=100", markOf: byId },
  { call: listFailedUploads, query: "limit=100", markOf: byId },
  { call: matchingUploadIds, query: "", markOf: byId },
  { call: listUsers, query: "limit=100", markOf: ({ userId }) => `"id":"${userId}"` },
  { call: browseFiles, query: "limit=1000", markOf: byKey },
  { call: matchingFiles, query: "", markOf: byKey },
  {
    call: listAudit,
    query: "limit=100&action=user.ban",
    markOf: ({ userId }) => `"target":"${userId}"`,
  },
];

const isTooLong = (text: string) => Array.from(text).length > MAX_SEARCH_LENGTH;

test.for(SEARCHED)(
  "$call.path finds each entry by its own text",
  async ({ call, query, markOf }) => {
    async function outcomeOf(naughty: Naughty): Promise<number | "found" | "not found"> {
      const search = encodeURIComponent(naughty.text);
      for (let page = 1; ; page += 1) {
        const paging = query.includes("limit") ? `&page=${page}` : "";
        const { status, text } = await ask(
          "GET",
          `${call.path}?${query}${paging}&search=${search}`,
        );
        if (status !== 200) return status;
        if (text.includes(markOf(naughty))) return "found";
        if (!text.includes('"hasNext":true')) return "not found";
      }
    }
    for (const naughty of texts) {
      // U+001F separates texts in the indexes. Blank ban reasons are refused, so none is recorded.
      const isThere =
        !naughty.text.includes("\u001f") && !(call === listAudit && naughty.text.trim() === "");
      const due = isTooLong(naughty.text) ? 400 : isThere ? "found" : "not found";
      expect([naughty.text, await outcomeOf(naughty)]).toEqual([naughty.text, due]);
    }
  },
);

test("display names and VOD titles from Twitch are stored unchanged", async () => {
  const { control } = vodkeep.twitch;
  // Each takes half a dozen requests to Twitch.
  const kept = texts.filter(({ text }) => text !== "" && text.length <= 100);
  for (const { text } of kept.filter((_, at) => at % 6 === 0)) {
    const { id } = await control.addAccount({ displayName: text });
    const client = await vodkeep.signIn(id);
    expect((await client.expect(auth.validate)).admin?.displayName).toBe(text);
    const vod = await control.addVod({ title: text, ownerId: id });
    const upload = await admin.expect(startUpload, startUpload.path, {
      body: { source: { type: "twitch", vodId: vod.id }, rightsConfirmed: false },
    });
    expect(upload.metadata.streamTitle).toBe(text);
  }
});

test.for(["debug", "info"])("a log line of level %s is found by its text", async (level) => {
  for (const { text, id } of texts.filter((one) => !isTooLong(one.text))) {
    const query = `level=${level}&search=${encodeURIComponent(text)}`;
    const { logs } = await admin.expect(systemLogs, `${systemLogs.path}?${query}`);
    const isFull = logs.length === MAX_LOG_LINES;
    expect([text, isFull || logs.some(({ meta }) => meta?.id === id)]).toEqual([text, true]);
  }
  for (const { text } of texts.filter((one) => isTooLong(one.text))) {
    const query = `level=${level}&search=${encodeURIComponent(text)}`;
    expect((await ask("GET", `${systemLogs.path}?${query}`)).status).toBe(400);
  }
});

test("a view's name and search are stored unchanged, except that the name is trimmed", async () => {
  for (const { text } of texts) {
    const answer = await ask("PUT", saveView.path, { screen: "/files", name: text, search: text });
    const name = text.trim();
    const isName = name !== "" && Array.from(name).length <= MAX_VIEW_NAME_LENGTH;
    expect([text, answer.status]).toEqual([text, isName ? 200 : 400]);
    if (!isName) continue;
    const saved = { id: expect.any(String), screen: "/files", name, search: text };
    const { views } = await admin.expect(listViews);
    expect(views).toEqual([saved]);
    await admin.expect(deleteView, `/admin/views/${views[0]?.id}`);
  }
});
