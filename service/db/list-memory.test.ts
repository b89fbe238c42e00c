import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import type { ServiceContext } from "#service/context.ts";
import { pageFiles } from "#service/files/file-list.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { startTestService, type TestService } from "#service/testing/test-service.ts";
import { createLogger } from "#service/system/logger.ts";
import { indexRenamedOwners } from "#service/uploads/renamed-owners.ts";
import { pageFailedUploads, pageUploads } from "#service/uploads/upload-list.ts";
import { pageUsers } from "#service/users/user-list.ts";
import { migrate } from "./migrate.ts";
import { sql } from "./sql.ts";

let vodkeep: TestService;
let context: ServiceContext;
let database: SqliteDatabase;

beforeAll(async () => {
  vodkeep = await startTestService();
  const { platform, settings } = vodkeep;
  context = { platform, settings, log: createLogger(platform.clock, platform.logs) };
});
afterAll(() => vodkeep.close());

beforeEach(async () => {
  database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  for (const [id, name] of ["anna", "berta", "clara"].entries())
    await database.run(sql`INSERT INTO users (id, login, display_name, email, created_at, last_login_at)
      VALUES (${String(id + 1)}, ${`${name} needle`}, ${name}, ${`${name}@example.org`}, ${id}, ${id})`);
  for (const seq of [1, 2, 3]) await database.batch([upload(seq), file(seq)]);
});
afterEach(() => database.close());

function upload(seq: number): Statement {
  return sql`INSERT INTO uploads (seq, id, kind, filename, title, owner_id, rights, status, source_bytes,
      error_message, failure_class, failed_at, created_at, updated_at, max_retries)
    VALUES (${seq}, ${`u${seq}`}, 'twitch', ${`needle ${seq}.ts`}, 'title', '1', 'owner_signed_in',
      'failed', ${seq}, 'needle', 'storage', ${seq}, 0, 0, 3)`;
}

function file(seq: number): Statement {
  return sql`INSERT INTO files (seq, object_key, user_id, filename, size_bytes, upload_type, status,
      content_type, last_modified_at)
    VALUES (${seq}, ${`vods/1/${seq}/needle.ts`}, '1', ${`needle ${seq}`}, ${seq}, 'twitch', 'complete',
      'video/mp2t', ${seq})`;
}

const FIRST = { page: 1, limit: 20, sortOrder: "desc" } as const;
const UPLOADS = { ...FIRST, search: "needle", sortBy: "startedAt" } as const;
const USERS = { ...FIRST, search: "needle", sortBy: "lastLoginAt" } as const;

type Question = (database: Database) => Promise<unknown>;

/** Queries of every cached list, covering everything that a change may affect. */
const QUESTIONS: readonly Question[] = [
  ...ofEach(
    ["needle", "title", "anna"],
    ["startedAt", "filename", "size", "status"] as const,
    (search, sortBy) => async (asked) => await pageUploads(asked, { ...UPLOADS, search, sortBy }),
  ),
  async (asked) => await pageUploads(asked, { ...UPLOADS, userId: userIdSchema.parse("1") }),
  async (asked) => await pageUploads(asked, { ...UPLOADS, status: "failed" }),
  async (asked) => await pageFailedUploads(asked, UPLOADS),
  async (asked) => await pageFailedUploads(asked, { ...UPLOADS, failureClass: "storage" }),
  ...ofEach(
    ["needle", "vods"],
    ["date", "name", "size", "user"] as const,
    (search, sortBy) => async (asked) => await pageFiles(asked, { ...FIRST, search, sortBy }),
  ),
  ...ofEach(
    ["needle", "example"],
    ["lastLoginAt", "displayName", "createdAt"] as const,
    (search, sortBy) => async (asked) =>
      await pageUsers(contextOf(asked), { ...USERS, search, sortBy }),
  ),
  async (asked) => await pageUsers(contextOf(asked), { ...USERS, isBanned: false }),
];

function ofEach<Sort>(
  searches: readonly string[],
  sorts: readonly Sort[],
  ask: (search: string, sortBy: Sort) => Question,
): readonly Question[] {
  return searches.flatMap((search) => sorts.map((sortBy) => ask(search, sortBy)));
}

function contextOf(asked: Database): ServiceContext {
  return { ...context, platform: { ...context.platform, database: asked } };
}

async function askAll(asked: Database): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const ask of QUESTIONS) answers.push(await ask(asked));
  return answers;
}

/** Another object for the same database, which has no cached lists. */
function forgetful(): Database {
  return { ...database };
}

/** One change of each kind that affects a list's search, filters or order. */
const CHANGES: Readonly<Record<string, Statement>> = {
  "an upload comes": upload(4),
  "an upload goes": sql`DELETE FROM uploads WHERE seq = 2`,
  "an upload's name": sql`UPDATE uploads SET filename = 'zebra' WHERE seq = 2`,
  "an upload's title": sql`UPDATE uploads SET title = 'zebra' WHERE seq = 2`,
  "an upload's owner": sql`UPDATE uploads SET owner_id = '2' WHERE seq = 2`,
  "an upload's error": sql`UPDATE uploads SET filename = 'x', error_message = 'zebra' WHERE seq = 2`,
  "an upload's status": sql`UPDATE uploads SET status = 'pending' WHERE seq = 2`,
  "an upload's size": sql`UPDATE uploads SET source_bytes = 9 WHERE seq = 2`,
  "an upload's failure": sql`UPDATE uploads SET failed_at = 9 WHERE seq = 2`,
  "an upload's cause": sql`UPDATE uploads SET failure_class = 'ours' WHERE seq = 2`,
  "a file comes": file(4),
  "a file goes": sql`DELETE FROM files WHERE seq = 2`,
  "a file's name": sql`UPDATE files SET filename = 'zebra' WHERE seq = 2`,
  "a file's key": sql`UPDATE files SET object_key = 'zebra' WHERE seq = 2`,
  "a file's status": sql`UPDATE files SET status = 'partial' WHERE seq = 2`,
  "a file's type": sql`UPDATE files SET upload_type = 'manual' WHERE seq = 2`,
  "a file's size": sql`UPDATE files SET size_bytes = 9 WHERE seq = 2`,
  "a file's age": sql`UPDATE files SET last_modified_at = 9 WHERE seq = 2`,
  "a file's owner": sql`UPDATE files SET user_id = '2' WHERE seq = 2`,
  "a file of nobody's": sql`UPDATE files SET user_id = '77' WHERE seq = 2`,
  "a user comes": sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('77', 'dora needle', 'dora', 9)`,
  "a user's login": sql`UPDATE users SET login = 'zebra' WHERE id = '1'`,
  "a user's name": sql`UPDATE users SET display_name = 'zebra' WHERE id = '1'`,
  "a user's address": sql`UPDATE users SET email = 'zebra' WHERE id = '1'`,
  "a user's rights": sql`UPDATE users SET permissions = '["read:system"]' WHERE id = '1'`,
  "a user's ban": sql`UPDATE users SET banned_at = 9 WHERE id = '1'`,
  "a user's sign-in": sql`UPDATE users SET last_login_at = 9 WHERE id = '1'`,
};

test.each(Object.entries(CHANGES))("%s: no remembered page outlives it", async (_what, change) => {
  const before = await askAll(database);
  await database.run(change);
  const after = await askAll(database);
  expect(after).toEqual(await askAll(forgetful()));
  expect(after).not.toEqual(before);
});

test("the pages of a user's files follow the user who comes after them, and their new name", async () => {
  await database.run(sql`UPDATE files SET user_id = '77' WHERE seq = 2`);
  for (const change of [
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('77', 'aa', 'aa', 9)`,
    sql`UPDATE users SET login = 'zz', display_name = 'zz' WHERE id = '77'`,
  ]) {
    await askAll(database);
    await database.run(change);
    expect(await askAll(database)).toEqual(await askAll(forgetful()));
  }
});

test("an owner's new name is found once it is indexed, though nothing else has changed", async () => {
  const query = { ...UPLOADS, search: "zebra" };
  await database.run(sql`UPDATE users SET display_name = 'zebra' WHERE id = '1'`);
  expect((await pageUploads(database, query)).total).toBe(0);
  await indexRenamedOwners(database);
  expect((await pageUploads(database, query)).total).toBe(3);
});

test("the same question is searched once, and after two hundred others anew", async () => {
  const texts: string[] = [];
  const watched: Database = {
    ...database,
    all(statement) {
      texts.push(statement.sql);
      return database.all(statement);
    },
  };
  const searches = () => texts.splice(0).filter((text) => text.includes("MATCH")).length;
  const ask = async (search: string) =>
    await pageUploads(watched, { ...UPLOADS, search, sortBy: "size" });
  const first = await ask("needle");
  expect(searches()).toBeGreaterThan(0);
  expect(await ask(" needle ")).toEqual(first);
  expect(searches()).toBe(0);
  // Progress affects no list's order: rows are read again, but the search is not repeated.
  await database.run(sql`UPDATE uploads SET progress = 50 WHERE seq = 1`);
  expect((await ask("needle")).items.map(({ progress }) => progress)).toContain(50);
  expect(searches()).toBe(0);
  for (let other = 0; other < 200; other += 1) await ask(`needle ${other}`);
  searches();
  expect(await ask("needle")).toMatchObject({ total: 3 });
  expect(searches()).toBeGreaterThan(0);
});
