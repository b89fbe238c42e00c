import type { Cache } from "#service/ports/cache.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import { sql } from "#service/db/sql.ts";

/** Expired entries are deleted on the first write after this interval. */
const SWEEP_INTERVAL_MS = 60_000;

/** The cache as a separate table beside the service's. */
export async function openTableCache(database: Database, clock: Clock): Promise<Cache> {
  await database.run(sql`CREATE TABLE IF NOT EXISTS node_cache (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID`);
  let sweptAt = clock.monotonic();
  return {
    async get(key) {
      const [row] = await database.all(
        sql`SELECT value FROM node_cache WHERE key = ${key} AND expires_at > ${clock.now()}`,
      );
      return typeof row?.value === "string" ? row.value : null;
    },
    async set(key, value, timeToLiveMs) {
      const now = clock.now();
      await database.run(sql`
        INSERT INTO node_cache (key, value, expires_at) VALUES (${key}, ${value}, ${now + timeToLiveMs})
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`);
      if (clock.monotonic() - sweptAt < SWEEP_INTERVAL_MS) return;
      sweptAt = clock.monotonic();
      await database.run(sql`DELETE FROM node_cache WHERE expires_at <= ${now}`);
    },
    async clear() {
      const { changes } = await database.run(sql`DELETE FROM node_cache`);
      return changes;
    },
  };
}
