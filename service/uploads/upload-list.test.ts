import * as fc from "fast-check";
import { expect, test } from "vitest";
import { host } from "#host-under-test";
import { userIdSchema } from "#contract/ids.ts";
import { FAILURE_CLASSES, UPLOAD_STATUSES, type UploadStatus } from "#contract/upload.ts";
import { createRecordingLogs } from "#hosts/node/testing/recording-logs.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { sql } from "#service/db/sql.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { createLogger } from "#service/logger.ts";
import type { Database } from "#service/ports/database.ts";
import { storeNames } from "#service/storage/stored-name.ts";
import { drawPage, pageOf } from "#service/testing/list-page.ts";
import {
  compareNames,
  matchesSearch,
  searchFor,
  trickyText,
} from "#service/testing/tricky-text.ts";
import { ownerIndexJob } from "./renamed-owners.ts";
import { FAILURE_COUNTS_MS } from "./upload-query.ts";
import { matchFailedIds, pageFailedUploads, pageUploads } from "./upload-list.ts";

type Model = {
  id: string;
  seq: number;
  filename: string;
  title: string | null;
  owner: number;
  status: UploadStatus;
  sourceBytes: number | null;
  recordedAt: number | null;
  error: string | null;
  failureClass: (typeof FAILURE_CLASSES)[number] | null;
  failedAt: number | null;
  retries: number;
};

const OWNERS = ["Жук Éclair", "bob_%", "Zed 😀"] as const;

const draft = fc.record({
  filename: trickyText,
  title: fc.option(trickyText, { nil: null }),
  owner: fc.nat(OWNERS.length - 1),
  status: fc.constantFrom(...UPLOAD_STATUSES),
  sourceBytes: fc.option(fc.nat(3), { nil: null }),
  recordedAt: fc.option(fc.nat(3), { nil: null }),
  error: trickyText,
  failureClass: fc.constantFrom(...FAILURE_CLASSES),
  failedAt: fc.nat(5),
  retries: fc.nat(3),
});
type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;

/** Changes to existing rows: another status, another name, deletion. */
const change = fc.record({
  at: fc.nat(100),
  to: fc.option(draft, { nil: null }),
  renames: fc.boolean(),
});

async function world(): Promise<Database & { close(): Promise<void> }> {
  const database = await host.openDatabase();
  for (const [index, name] of OWNERS.entries())
    await database.run(sql`INSERT INTO users (id, login, display_name, created_at)
      VALUES (${`10${index}`}, ${`login${index}`}, ${name}, 0)`);
  return database;
}

function modelOf(seq: number, from: Draft): Model {
  const isFailed = from.status === "failed";
  return {
    ...from,
    seq,
    id: `u${seq}`,
    error: isFailed ? from.error : null,
    failureClass: isFailed ? from.failureClass : null,
    failedAt: isFailed ? from.failedAt : null,
  };
}

async function insert(database: Database, row: Model): Promise<void> {
  await database.run(sql`
    INSERT INTO uploads (seq, id, kind, filename, title, owner_id, rights, status, source_bytes,
      error_message, failure_class, failed_at, retry_count, max_retries, recorded_at, created_at,
      updated_at)
    VALUES (${row.seq}, ${row.id}, 'twitch', ${row.filename}, ${row.title}, ${`10${row.owner}`},
      'owner_signed_in', ${row.status}, ${row.sourceBytes}, ${row.error}, ${row.failureClass},
      ${row.failedAt}, ${row.retries}, 3, ${row.recordedAt}, 0, 0)`);
}

async function update(database: Database, row: Model): Promise<void> {
  await database.run(sql`
    UPDATE uploads SET filename = ${row.filename}, title = ${row.title}, status = ${row.status},
      recorded_at = ${row.recordedAt}, source_bytes = ${row.sourceBytes}, error_message = ${row.error},
      failure_class = ${row.failureClass}, failed_at = ${row.failedAt}, retry_count = ${row.retries}
    WHERE id = ${row.id}`);
}

async function play(
  database: Database,
  drafts: readonly Draft[],
  changes: readonly { at: number; to: Draft | null; renames: boolean }[],
): Promise<Model[]> {
  let rows = drafts.map((one, index) => modelOf(index + 1, one));
  for (const row of rows) await insert(database, row);
  for (const { at, to, renames } of changes) {
    const row = rows[at % Math.max(1, rows.length)];
    if (row === undefined) break;
    if (to === null) {
      await database.run(sql`DELETE FROM uploads WHERE id = ${row.id}`);
      rows = rows.filter((other) => other !== row);
      continue;
    }
    const changed = modelOf(row.seq, { ...to, owner: row.owner });
    if (!renames) changed.filename = row.filename;
    await update(database, changed);
    rows = rows.map((other) => (other === row ? changed : other));
  }
  return rows;
}

function compare(left: number | string | null, right: number | string | null): number {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  return left < right ? -1 : 1;
}

const SORTS = {
  startedAt: () => 0,
  filename: (left: Model, right: Model) => compareNames(left.filename, right.filename),
  size: (left: Model, right: Model) => compare(left.sourceBytes, right.sourceBytes),
  status: (left: Model, right: Model) => compare(left.status, right.status),
  recordedAt: (left: Model, right: Model) => compare(left.recordedAt, right.recordedAt),
} as const;

test("a page of uploads, failed or not, is what a naive filter over all rows would show", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(draft, { minLength: 1, maxLength: 25 }),
      fc.array(change, { maxLength: 12 }),
      fc.gen(),
      async (drafts, changes, gen) => {
        const database = await world();
        const rows = await play(database, drafts, changes);
        const texts = rows.flatMap((row) => [row.filename, row.title ?? "-"]);
        for (let count = 0; count < 8; count += 1) {
          const owner = gen(fc.constantFrom, undefined, undefined, 0, 1);
          const query = {
            ...drawPage(gen, SORTS, [...texts, ...OWNERS, "login1"]),
            status: gen(fc.constantFrom, undefined, undefined, ...UPLOAD_STATUSES),
            userId: owner === undefined ? undefined : userIdSchema.parse(`10${owner}`),
          };
          const expected = rows
            .filter((row) => owner === undefined || row.owner === owner)
            .filter((row) => query.status === undefined || row.status === query.status)
            .filter((row) =>
              matchesSearch(
                [row.filename, row.title, OWNERS[row.owner] ?? "", `login${row.owner}`],
                query.search,
              ),
            );
          const { shown, hasNext } = pageOf(expected, SORTS, query);
          const answer = await pageUploads(database, query, 0);
          expect(answer.items.map((item) => item.id)).toEqual(shown.map((row) => row.id));
          expect(answer.total).toBe(expected.length);
          expect(answer.hasNext).toBe(hasNext);
          expect(answer.hasPrev).toBe(query.page > 1);
        }
        await compareFailed(database, rows, gen);
        await database.close();
      },
    ),
    { numRuns: host.runsOf(150) },
  );
});

/** Failures from this time on are recent; the others failed more than seven days before. */
const RECENT_FROM = 3;

/** Compares the list of failed uploads, its groups and counts with a naive filter. */
async function compareFailed(
  database: Database,
  rows: readonly Model[],
  gen: fc.GeneratorValue,
): Promise<void> {
  const failed = rows.filter((row) => row.status === "failed");
  const search = gen(searchFor, [...rows.map((row) => row.error ?? "-"), ...OWNERS]);
  const failureClass = gen(fc.constantFrom, undefined, ...FAILURE_CLASSES);
  const expected = failed
    .filter((row) => failureClass === undefined || row.failureClass === failureClass)
    .filter((row) =>
      matchesSearch(
        [row.filename, row.error, OWNERS[row.owner] ?? "", `login${row.owner}`],
        search,
      ),
    )
    .sort((left, right) => compare(right.failedAt, left.failedAt) || right.seq - left.seq);
  const answer = await pageFailedUploads(
    database,
    {
      page: 1,
      limit: 7,
      search,
      failureClass,
    },
    FAILURE_COUNTS_MS + RECENT_FROM,
  );
  expect(answer.items.map((item) => item.id)).toEqual(expected.slice(0, 7).map((row) => row.id));
  expect(answer.total).toBe(expected.length);
  const canRetry = (row: (typeof failed)[number]) =>
    row.retries < 3 && row.failureClass !== "gone_at_source";
  expect(answer.summary).toEqual({
    totalFailed: failed.length,
    canRetry: failed.filter(canRetry).length,
    maxRetriesReached: failed.filter((row) => row.retries >= 3).length,
    retryCannotHelp: failed.filter((row) => row.retries < 3 && !canRetry(row)).length,
  });
  const found = FAILURE_CLASSES.map((each) => failed.filter((row) => row.failureClass === each));
  expect(answer.groups).toHaveLength(found.filter((own) => own.length > 0).length);
  for (const group of answer.groups) {
    const own = found[FAILURE_CLASSES.indexOf(group.failureClass)] ?? [];
    expect(group).toMatchObject({
      count: own.length,
      canRetry: own.filter(canRetry).length,
      isRecent: own.some((row) => (row.failedAt ?? 0) >= RECENT_FROM),
    });
  }
  const ids = await matchFailedIds(database, { search, failureClass });
  expect(ids.items).toEqual(
    expected.map((row) => ({ id: row.id, canRetry: canRetry(row), hasFile: false })),
  );
}

test("a search with more matches than are counted reports a capped total and correct pages", async () => {
  const database = await world();
  await database.run(sql`
    INSERT INTO uploads (id, kind, filename, title, owner_id, rights, status, failure_class,
      source_bytes, max_retries, created_at, updated_at)
    SELECT 'n' || n, 'twitch', (n * 7919 % 30001) || '-clip.ts',
      CASE WHEN n * 31 % 1009 > 650 THEN 'Large' END, '10' || (n % 3), 'owner_signed_in',
      iif(n % 9 = 0, 'failed', 'completed'), iif(n % 9 = 0, 'ours', NULL), n * 31 % 1009, 3, 0, 0
    FROM (SELECT value AS n FROM json_each(${numbersTo(36 * 1024)}))`);
  const query = {
    limit: 20,
    search: "CLIP",
    sortBy: "startedAt",
    sortOrder: "desc",
  } as const;
  for (const [page, sortBy, filter] of [
    [1, "startedAt", {}],
    [501, "startedAt", {}],
    [3, "filename", {}],
    [400, "filename", {}],
    [3, "size", {}],
    [400, "size", {}],
    [3, "size", { userId: userIdSchema.parse("101") }],
    [3, "size", { status: "completed" }],
    [400, "size", { status: "completed" }],
    [3, "size", { search: "7-clip" }],
    [3, "size", { search: "7-clip", status: "completed" }],
  ] as const) {
    const { search, userId, status } = {
      search: "",
      userId: "any",
      status: "any",
      ...filter,
    };
    const answer = await pageUploads(database, { ...query, page, sortBy, ...filter }, 0);
    const column = { startedAt: sql`seq`, filename: sql`filename`, size: sql`source_bytes` }[
      sortBy
    ];
    const expected = await database.all(sql`
      SELECT id FROM uploads WHERE ${userId} IN ('any', owner_id)
        AND ${status} IN ('any', status) AND instr(filename, ${search}) > 0
      ORDER BY ${column} DESC, seq DESC LIMIT 20 OFFSET ${(page - 1) * 20}`);
    expect(answer.items.map((item) => item.id)).toEqual(expected.map((row) => row.id));
    expect(answer).toMatchObject({ total: 1_000, totalIsCapped: true, hasNext: true });
  }
  // The matches are contiguous at the end of the order.
  const together = await pageUploads(
    database,
    {
      ...query,
      page: 2,
      search: "large",
      sortBy: "size",
      sortOrder: "asc",
    },
    0,
  );
  const smallest = await database.all(sql`
    SELECT id FROM uploads WHERE title = 'Large' ORDER BY source_bytes, seq LIMIT 20 OFFSET 20`);
  expect(together.items.map((item) => item.id)).toEqual(smallest.map((row) => row.id));
  expect(together).toMatchObject({ total: 1_000, totalIsCapped: true });

  const few = await pageUploads(database, { ...query, page: 1, status: "failed" }, 0);
  expect(few).toMatchObject({ total: 1_000, totalIsCapped: true, hasNext: true });
  await database.close();
});

test("after an owner is renamed, their uploads are found only by the new name", async () => {
  const database = await world();
  for (let seq = 1; seq <= 120; seq += 1)
    await insert(database, {
      ...modelOf(seq, { ...EMPTY, filename: `clip${seq}`, owner: seq % 2 }),
      seq,
    });
  const renamed = { id: "100", login: "login0", displayName: "Renamed", profileImageUrl: null };
  await database.batch(storeNames([renamed], "listed", 0));
  const found = async (search: string) =>
    (
      await pageUploads(
        database,
        {
          page: 1,
          limit: 20,
          search,
          sortBy: "startedAt",
          sortOrder: "desc",
        },
        0,
      )
    ).total;
  const context = {
    platform: { database, clock: systemClock, random: systemRandom },
    log: createLogger(systemClock, createRecordingLogs()),
  };
  await runDue(context, "reindex", ownerIndexJob(context), 1);
  expect(await found("renamed")).toBe(60);
  expect(await found("éclair")).toBe(0);
  expect(await found("bob_%")).toBe(60);
  expect(await found("nq")).toBe(0);
  expect(await database.all(sql`SELECT * FROM jobs`)).toEqual([]);
  await database.close();
});

const EMPTY: Draft = {
  filename: "",
  title: null,
  owner: 0,
  status: "completed",
  sourceBytes: null,
  recordedAt: null,
  error: "",
  failureClass: "ours",
  failedAt: 0,
  retries: 0,
};

/** A JSON array of 1 to `last`. */
function numbersTo(last: number): string {
  return JSON.stringify(Array.from({ length: last }, (_number, index) => index + 1));
}
