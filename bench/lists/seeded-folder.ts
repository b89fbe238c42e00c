import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDigests } from "#hosts/node/digests.ts";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { migrate } from "#service/db/migrate.ts";
import { NEVER_MS } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import { planEach } from "#service/jobs/jobs.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { SettingsError } from "#service/settings.ts";
import { isStored } from "#service/storage/upload-vod.ts";
import { openSession } from "../open-session.ts";
import { seedRows } from "../../scripts/seed-rows.ts";

/** Token of a session with all rights, in every seeded folder. */
export const BENCH_TOKEN = "b".repeat(64);

/**
 * Opens a data folder with `size` uploads, `size` files and a fiftieth as many users. Creating a
 * million takes minutes, so the folder is kept between runs in the temporary directory, as long as
 * the schema is unchanged or only grows by migrations.
 */
export async function openSeededFolder(size: number): Promise<string> {
  const folder = join(tmpdir(), `vodkeep-bench-lists-${size}`);
  const database = await openIn(folder);
  await seedOnce(database, size);
  const credentials = { bearer: BENCH_TOKEN, cookie: "none" };
  await openSession(database, createDigests(), credentials);
  await database.close();
  return folder;
}

export function usersOf(size: number): number {
  return Math.max(100, Math.round(size / 50));
}

async function openIn(folder: string): Promise<SqliteDatabase> {
  mkdirSync(folder, { recursive: true });
  const database = openSqliteDatabase(join(folder, "vodkeep.db"));
  try {
    await migrate(database, Date.now());
    return database;
  } catch (error) {
    await database.close();
    if (!(error instanceof SettingsError)) throw error;
    // Other migrations wrote it.
    rmSync(folder, { recursive: true });
    return await openIn(folder);
  }
}

/**
 * The tested limits: 2,000 channels, and with their uploads up to 100,000 VODs of the last two months, of
 * which Twitch still has those of two weeks. About 40 of 100 are stored, and 5 are wanted.
 */
function seedChannels(nowMs: number): readonly Statement[] {
  return [
    // Those of the seeded uploads.
    sql`DELETE FROM vods`,
    sql`INSERT INTO channels (owner_id, added_at, added_by, author_id, changes, listed_at,
      stream_id, live_since, broadcaster_type)
    SELECT id, 0, id, id, iif(seq % 3 = 0, '{"chat":false}', '{}'), seq * 1000,
      iif(seq % 9 = 0, id, NULL), 0, 'affiliate'
    FROM users WHERE permissions = '[]' ORDER BY seq LIMIT 2000`,
    planEach("list", sql`SELECT owner_id AS key FROM channels`, NEVER_MS),
    sql`INSERT INTO rights_confirmations SELECT owner_id, author_id, 'Seeded', 0 FROM channels
    WHERE owner_id % 5 > 0`,
    sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at, first_seen_at,
      last_seen_at, decision, reason, next_start_at, danger_at, gone_at, lost_at, is_stored)
    SELECT video_id, owner_id, 'archive', title, duration_sec, began_at, began_at, min(deleted_at, ${nowMs}),
      iif(seq % 20 = 1, 'take', 'leave'), iif(seq % 20 = 1, NULL, 'too_short'),
      iif(seq % 20 = 1, 0, NULL), deleted_at, iif(deleted_at < ${nowMs}, deleted_at, NULL),
      iif(deleted_at < ${nowMs} AND seq % 77 = 0, deleted_at, NULL), ${isStored(sql`video_id`)}
    FROM (SELECT *, began_at + 14 * 86400000 AS deleted_at
      FROM (SELECT *, iif(seq % 2 = 0, vod_id, vod_id + 1000000000) AS video_id,
          ${nowMs} - 52000 * row_number() OVER (ORDER BY seq DESC) AS began_at
        FROM uploads WHERE owner_id IN (SELECT owner_id FROM channels)
        ORDER BY seq DESC LIMIT 100000))`,
  ];
}

async function seedOnce(database: Database, size: number): Promise<void> {
  const [row] = await database.all(sql`SELECT count(*) AS files FROM files`);
  if (row?.files === size) return;
  const startedMs = performance.now();
  const counts = { uploads: size, users: usersOf(size), files: size };
  await seedRows(database, counts, Date.now(), () => {});
  await database.batch(seedChannels(Date.now()));
  console.log(`seeded in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
}
