import * as fc from "fast-check";
import { expect, test } from "vitest";
import { host } from "#host-under-test";
import { objectKeySchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { drawPage, pageOf } from "#service/testing/list-page.ts";
import { compareNames, matchesSearch, trickyText } from "#service/testing/tricky-text.ts";
import { pageFiles, readFileStats } from "./file-list.ts";

const OWNERS = ["mara", "Zed", "anton"] as const;

const draft = fc.record({
  filename: fc.option(trickyText, { nil: null }),
  owner: fc.option(fc.nat(OWNERS.length - 1), { nil: null }),
  size: fc.nat(4),
  type: fc.constantFrom("twitch" as const, "manual" as const, "chunk" as const),
  status: fc.constantFrom("complete" as const, "partial" as const, "orphaned" as const),
  modifiedAt: fc.nat(4),
  title: fc.option(trickyText, { nil: null }),
  recordedAt: fc.option(fc.nat(4), { nil: null }),
  durationSec: fc.option(fc.nat(4), { nil: null }),
  isTrashed: fc.boolean(),
});
type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;
type Model = Draft & { seq: number; key: string };

const ownerName = (row: Model) => (row.owner === null ? "" : (OWNERS[row.owner] ?? ""));

const SORTS = {
  date: (left: Model, right: Model) => left.modifiedAt - right.modifiedAt,
  name: (left: Model, right: Model) =>
    left.filename === null || right.filename === null
      ? Number(left.filename !== null) - Number(right.filename !== null)
      : compareNames(left.filename, right.filename),
  size: (left: Model, right: Model) => left.size - right.size,
  length: (left: Model, right: Model) => (left.durationSec ?? -1) - (right.durationSec ?? -1),
  recorded: (left: Model, right: Model) => (left.recordedAt ?? -1) - (right.recordedAt ?? -1),
  user: (left: Model, right: Model) =>
    compareNames(ownerName(left), ownerName(right)) ||
    (left.recordedAt ?? -1) - (right.recordedAt ?? -1),
} as const;

test("a page of files, its totals and groups match a naive filter", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(draft, fc.option(draft)), { minLength: 1, maxLength: 25 }),
      fc.gen(),
      async (drafts, gen) => {
        const database = await host.openDatabase();
        for (const [index, login] of OWNERS.entries())
          await database.run(sql`INSERT INTO users (id, login, display_name, created_at)
            VALUES (${`20${index}`}, ${login}, ${login}, 0)`);
        const rows: Model[] = [];
        for (const [index, [first, later]] of drafts.entries()) {
          const key = objectKeySchema.parse(`vods/20/${index * 31}/x${index}.ts`);
          await database.run(sql`
            INSERT INTO files (seq, object_key, user_id, filename, size_bytes, upload_type, status,
              content_type, last_modified_at, metadata, recorded_at)
            VALUES (${index + 1}, ${key}, ${idOf(first)}, ${first.filename}, ${first.size},
              ${first.type}, ${first.status}, 'video/mp2t', ${first.modifiedAt},
              ${JSON.stringify({ title: first.title, durationSec: first.durationSec })},
              ${first.recordedAt})`);
          if (first.isTrashed)
            await database.run(sql`UPDATE files SET trash_until = 1 WHERE object_key = ${key}`);
          if (later !== null)
            await database.run(sql`
              UPDATE files SET user_id = ${idOf(later)}, filename = ${later.filename},
                size_bytes = ${later.size}, upload_type = ${later.type}, status = ${later.status},
                last_modified_at = ${later.modifiedAt}, recorded_at = ${later.recordedAt},
                metadata = ${JSON.stringify({ title: later.title, durationSec: later.durationSec })},
                trash_until = ${later.isTrashed ? 1 : null}
              WHERE object_key = ${key}`);
          rows.push({ ...(later ?? first), seq: index + 1, key });
        }
        await database.run(sql`UPDATE users SET login = 'MARA' WHERE id = '200'`);
        const gone = rows.shift();
        if (gone !== undefined)
          await database.run(sql`DELETE FROM files WHERE object_key = ${gone.key}`);
        for (let count = 0; count < 8; count += 1) {
          const trash = gen(fc.constantFrom, undefined, undefined, "only" as const);
          const [from, until] = [0, 1].map(() => gen(fc.constantFrom, undefined, undefined, 1, 3));
          const owner = gen(fc.constantFrom, undefined, undefined, 0, 1);
          const query = {
            ...drawPage(gen, SORTS, [
              "-",
              ...rows.flatMap((row) => [row.filename ?? "x", row.title ?? "x", row.key]),
            ]),
            userId: owner === undefined ? undefined : userIdSchema.parse(`20${owner}`),
            uploadType: gen(
              fc.constantFrom<(Draft["type"] | undefined)[]>,
              undefined,
              "manual",
              "chunk",
            ),
            status: gen(
              fc.constantFrom<(Draft["status"] | undefined)[]>,
              undefined,
              "complete",
              "orphaned",
            ),
            recordedFrom: from === undefined ? undefined : new Date(from).toISOString(),
            recordedUntil: until === undefined ? undefined : new Date(until).toISOString(),
            chunks: gen(fc.constantFrom, undefined, "hidden" as const),
            trash,
          };
          const expected = rows
            .filter((row) => row.isTrashed === (trash === "only"))
            .filter((row) => owner === undefined || row.owner === owner)
            .filter((row) => query.uploadType === undefined || row.type === query.uploadType)
            .filter((row) => query.status === undefined || row.status === query.status)
            .filter((row) => query.chunks === undefined || row.type !== "chunk")
            .filter((row) => from === undefined || (row.recordedAt ?? -1) >= from)
            .filter((row) => until === undefined || (row.recordedAt ?? until) < until)
            .filter((row) => matchesSearch([row.filename, row.title, row.key], query.search));
          const { shown, hasNext } = pageOf(expected, SORTS, query);
          const answer = await pageFiles(database, query);
          expect(answer.files.map((file) => file.key)).toEqual(shown.map((row) => row.key));
          expect(answer.pagination).toMatchObject({
            total: expected.length,
            totalPages: Math.ceil(expected.length / query.limit),
            hasPrev: query.page > 1,
            hasNext,
          });
          expect(answer.summary.totalFiles).toBe(expected.length);
          for (const status of ["complete", "partial", "orphaned"] as const)
            expect(answer.byStatus[status]).toBe(
              expected.filter((row) => row.status === status).length,
            );
          const owners = new Set(expected.map((row) => row.owner));
          expect(answer.byUser).toHaveLength(owners.size);
          for (const group of answer.byUser) {
            const own = expected.filter((row) => idOf(row) === group.userId);
            expect(group.files).toBe(own.length);
            expect(group.size).toBe(own.reduce((sum, row) => sum + row.size, 0));
          }
        }
        const [counted] = await database.all(sql`SELECT sum(trashed_files) AS files,
          sum(trashed_bytes) AS bytes, sum(duration_ms) AS ms FROM file_counts WHERE user_id = '*'`);
        const inTrash = rows.filter(({ isTrashed }) => isTrashed);
        expect(Number(counted?.files)).toBe(inTrash.length);
        expect(Number(counted?.bytes)).toBe(inTrash.reduce((sum, row) => sum + row.size, 0));
        expect(counted?.ms ?? 0).toBe(
          rows.reduce((ms, row) => ms + (row.durationSec ?? 0) * 1_000, 0),
        );
        const stats = await readFileStats(database);
        expect(stats.totalFiles).toBe(rows.length);
        expect(stats.totalSize).toBe(rows.reduce((sum, row) => sum + row.size, 0));
        expect(stats.usersWithFiles).toBe(
          new Set(rows.flatMap((row) => (row.owner === null ? [] : [row.owner]))).size,
        );
        await database.close();
      },
    ),
    { numRuns: host.runsOf(120) },
  );
});

test("many files sorted by owner match a naive sort, with and without a search", async () => {
  const database = await host.openDatabase();
  for (const [index, login] of OWNERS.entries())
    await database.run(sql`INSERT INTO users (id, login, display_name, created_at)
      VALUES (${`20${index}`}, ${login}, ${login}, 0)`);
  await database.run(sql`
    INSERT INTO files (object_key, user_id, filename, size_bytes, upload_type, status, content_type,
      last_modified_at)
    SELECT 'vods/20/1/x' || n || '.ts', CASE n % 4 WHEN 3 THEN NULL ELSE '20' || (n % 4) END,
      'clip' || n, n % 7, 'twitch', CASE n % 50 WHEN 0 THEN 'partial' ELSE 'complete' END,
      'video/mp2t', n
    FROM (SELECT value AS n FROM json_each(${numbersTo(21 * 1024)}))`);
  const query = {
    limit: 20,
    search: "CLIP",
    userId: undefined,
    uploadType: undefined,
    status: undefined,
    sortBy: "user",
  } as const;
  for (const [page, sortOrder] of [
    [1, "asc"],
    [1, "desc"],
    [160, "asc"],
    [400, "desc"],
  ] as const) {
    for (const search of [query.search, undefined]) {
      const answer = await pageFiles(database, { ...query, search, page, sortOrder });
      const rows = await database.all(sql`
        SELECT f.object_key, coalesce(u.login, '') AS login, f.seq
        FROM files f LEFT JOIN users u ON u.id = f.user_id`);
      const direction = sortOrder === "asc" ? 1 : -1;
      const expected = rows
        .toSorted(
          (left, right) =>
            direction *
            (compareNames(String(left.login), String(right.login)) ||
              Number(left.seq) - Number(right.seq)),
        )
        .slice((page - 1) * 20, page * 20);
      expect(answer.files.map((file) => file.key)).toEqual(expected.map((row) => row.object_key));
    }
  }
  // So few matches that the page is found by the counts of the owners.
  for (const [page, sortOrder] of [
    [2, "asc"],
    [9, "desc"],
  ] as const) {
    const partial = await pageFiles(database, {
      ...query,
      search: undefined,
      status: "partial",
      page,
      sortOrder,
    });
    const direction = sortOrder === "asc" ? sql`ASC` : sql`DESC`;
    const expected = await database.all(sql`
      SELECT f.object_key FROM files f LEFT JOIN users u ON u.id = f.user_id
      WHERE f.status = 'partial'
      ORDER BY coalesce(u.login, '') COLLATE NOCASE ${direction}, f.seq ${direction}
      LIMIT 20 OFFSET ${(page - 1) * 20}`);
    expect(partial.files.map((file) => file.key)).toEqual(expected.map((row) => row.object_key));
    expect(partial.pagination.total).toBe(430);
  }
  await database.close();
});

function idOf(row: Draft): string | null {
  return row.owner === null ? null : `20${row.owner}`;
}

/** A JSON array of 1 to `last`. */
function numbersTo(last: number): string {
  return JSON.stringify(Array.from({ length: last }, (_number, index) => index + 1));
}

test("the files without their chat match a naive filter in each order, with and without a search", async () => {
  const database = await host.openDatabase();
  await database.run(
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('20', 'mara', 'Mara', 0)`,
  );
  const states = ["complete", "reading", "partial", "gone", "none"] as const;
  for (const [index, state] of [...states, ...states].entries())
    await database.batch([
      sql`INSERT INTO uploads (id, kind, vod_id, filename, owner_id, rights, status, max_retries,
          created_at, updated_at)
        VALUES (${`u${index}`}, 'twitch', '1', 'clip', '20', 'administrator_confirmed', 'completed',
          3, 0, 0)`,
      sql`INSERT INTO chats (upload_id, state, has_ended) VALUES (${`u${index}`}, ${state}, 1)`,
      sql`INSERT INTO files (object_key, upload_id, user_id, filename, size_bytes, upload_type,
          status, content_type, last_modified_at)
        VALUES (${`vods/20/1/u${index}.ts`}, ${`u${index}`}, '20',
          ${index % 2 === 0 ? "clip" : "film"}, ${100 - index},
          ${index === 9 ? "chunk" : "twitch"}, ${index === 2 ? "partial" : "complete"},
          'video/mp2t', ${index})`,
    ]);
  const orders = {
    date: [2, 3, 4, 7, 8],
    name: [2, 4, 8, 3, 7],
    size: [8, 7, 4, 3, 2],
    user: [2, 3, 4, 7, 8],
  } as const;
  for (const sortBy of ["date", "name", "size", "user"] as const)
    for (const search of [undefined, "clip"])
      for (const userId of [undefined, userIdSchema.parse("20")]) {
        const answer = await pageFiles(database, {
          page: 1,
          limit: 20,
          search,
          userId,
          uploadType: undefined,
          status: undefined,
          chat: "missing",
          sortBy,
          sortOrder: "asc",
        });
        const expected = orders[sortBy].filter((index) => search === undefined || index % 2 === 0);
        const found = answer.files.map(({ key }) => Number(/u(\d)/.exec(key)?.[1]));
        expect(found).toEqual(expected);
        expect(answer.pagination.total).toBe(expected.length);
        expect(answer.byStatus).toEqual({
          complete: expected.length - 1,
          partial: 1,
          orphaned: 0,
        });
        expect(answer.byUser.map(({ files }) => files)).toEqual([expected.length]);
      }
  await database.close();
});

test.for(["Übung", "übung.mp4", "Üb"])(
  "a search for %s finds composed and decomposed names",
  async (term) => {
    const database = await host.openDatabase();
    for (const form of ["NFC", "NFD"] as const)
      await database.run(sql`
      INSERT INTO files (object_key, filename, size_bytes, upload_type, status, content_type,
        last_modified_at)
      VALUES (${`manual/20/${form}/x.mp4`}, ${"Übung.mp4".normalize(form)}, 1, 'manual', 'complete',
        'video/mp4', 0)`);
    for (const typed of ["NFC", "NFD"] as const) {
      const search = term.normalize(typed);
      const { files } = await pageFiles(database, {
        page: 1,
        limit: 20,
        search,
        userId: undefined,
        uploadType: undefined,
        status: undefined,
        chat: undefined,
        sortBy: "name",
        sortOrder: "asc",
      });
      expect(files).toHaveLength(2);
    }
    await database.close();
  },
);
