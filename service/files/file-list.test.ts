import { expect, test } from "vitest";
import { host } from "#host-under-test";
import { userIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { compareNames } from "#service/testing/tricky-text.ts";
import { pageFiles } from "./file-list.ts";

const OWNERS = ["mara", "Zed", "anton"] as const;

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
