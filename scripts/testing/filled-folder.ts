import { join } from "node:path";
import { objectKeySchema } from "#contract/files.ts";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { createByteThreads } from "#hosts/node/byte-threads.ts";
import { createDigests } from "#hosts/node/digests.ts";
import { openFolderStore } from "#hosts/node/folder-store/folder-store.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { Origin } from "../migrate/move.ts";
import { seedRows } from "../seed-rows.ts";

export type FilledFolder = Origin & { close(): Promise<void> };

/** A copy's block is 16 MiB: one object has two blocks, one is empty. */
const SIZES = [0, 1, 70_000, 16 * 1024 * 1024 + 5];

/** More than one page of the copy. */
const LOG_ROWS = 1_100;

/** Fills a node host's folder with rows in most tables and objects of several sizes. */
export async function fillFolder(path: string): Promise<FilledFolder> {
  const folder = await openFolder(path);
  const { database, objects } = folder;
  await migrate(database, Date.UTC(2026, 0, 1));
  await seedRows(
    database,
    { users: 40, uploads: 60, files: 40 },
    Date.UTC(2026, 5, 1),
    () => undefined,
  );
  await database.batch([
    sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash, bearer_expires_at, created_at,
      last_seen_at, expires_at) VALUES ('s', '9000000003', 'c', 'b', 1, 1, 1, 1)`,
    sql`INSERT INTO stream_tickets (ticket_hash, session_id, expires_at) VALUES ('t', 's', 1)`,
    sql`INSERT INTO upload_parts (upload_id, part_number, tag, size_bytes, sha256, end_unit, end_offset,
      finished_units) VALUES ('seed7', 10, 'tag', 5, 'sum', 1, 2, '[1.5,null]')`,
    sql`INSERT INTO audit (at, actor_id, action, target, result, before)
      VALUES (1, '9000000003', 'user.ban', 'someone', 'done', ${'{"text":"ä „quoted“ 🎬\u001f"}'})`,
    sql`INSERT INTO logs (level, at, message) SELECT 'info', n, 'A line\nand another'
      FROM text_positions LIMIT ${LOG_ROWS / 2}`,
    sql`INSERT INTO logs (level, at, message) SELECT level, at + 0.5, message FROM logs`,
    sql`UPDATE cost_thresholds SET budget_percent = 61.5`,
    sql`UPDATE users SET display_name = 'Renamed' WHERE id = '9000000004'`,
    sql`UPDATE store_scan SET prefix = 1, cursor = 'of the folder'`,
  ]);
  for (const [index, size] of SIZES.entries()) {
    const bytes = new Uint8Array(size).map((_, at) => (at * 31 + index) % 251);
    const key = objectKeySchema.parse(`vods/9000000001/${index}/made${index}.ts`);
    await objects.put(key, bytes, {
      contentType: "video/mp2t",
      metadata: { uploadId: `made${index}`, title: "Grüße" },
    });
  }
  return folder;
}

export async function openFolder(path: string): Promise<FilledFolder> {
  const database = openSqliteDatabase(join(path, "vodkeep.db"));
  const threads = createByteThreads();
  const objects = await openFolderStore({
    root: join(path, "objects"),
    threads,
    clock: systemClock,
  });
  return {
    database,
    objects,
    digests: createDigests(threads),
    async close() {
      await objects.close();
      await threads.close();
      await database.close();
    },
  };
}
