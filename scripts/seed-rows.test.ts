import { expect, test } from "vitest";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { pageFiles } from "#service/files/file-list.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { NEVER_MS } from "#service/db/due-time.ts";
import { pageUploads } from "#service/uploads/upload-list.ts";
import { seedRows } from "./seed-rows.ts";

/** In 2001. */
const NOW_MS = 1e12;

const PAGE = { page: 1, limit: 20, sortOrder: "desc" } as const;

test("seeding fills every list, leaves nothing due, and adds nothing when repeated", async () => {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  for (let run = 0; run < 2; run += 1) {
    await seedRows(database, { users: 30, uploads: 1_500, files: 1_200 }, NOW_MS, () => {});
    const uploads = await pageUploads(
      database,
      {
        ...PAGE,
        sortBy: "startedAt",
        search: "speedrun",
      },
      0,
    );
    expect(uploads.items).toHaveLength(20);
    expect(uploads.total).toBeGreaterThan(100);
    const [sums] = await database.all(sql`
      SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM uploads) AS uploads,
        (SELECT count(*) FROM uploads WHERE status IN ('pending', 'processing')
          AND next_attempt_at < ${NEVER_MS}) AS due,
        (SELECT count(*) FROM files WHERE verified_at IS NOT NULL) AS checks`);
    expect(sums).toEqual({ users: 30, uploads: 1_500, due: 0, checks: 0 });
    const files = await pageFiles(database, { ...PAGE, limit: 25, sortBy: "user" });
    expect(files.summary.totalFiles).toBe(1_200);
  }
  await database.close();
});
