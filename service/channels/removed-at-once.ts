import type { Rule } from "#contract/channel-rules.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { rankByRetention } from "#service/trash/beyond-retention.ts";
import { readSizeEstimate } from "./bit-rate.ts";

/**
 * VODs that the retention of their rule would remove at once if they were stored: a rule does not take
 * them. One whose upload failed or was cancelled fills no place, and neither does one that a person
 * took; the size of what is not stored is estimated.
 */

/** Of channels with their rules, by their id. */
type Rules = ReadonlyMap<string, Pick<Rule, "quality" | "retention">>;

/** The VODs `v` that are not stored, for rankByRetention(); `which` is a condition on them. */
export async function unstoredVods(
  database: Database,
  rules: Rules,
  which: Statement,
): Promise<Statement> {
  const [[only] = [], ...others] = [...rules];
  const hasBytes = [...rules.values()].some(({ retention }) => retention.keep === "bytes");
  const estimate = hasBytes
    ? await readSizeEstimate(database, others.length === 0 ? (only ?? null) : null)
    : () => 0;
  const bytesPerSec = JSON.stringify(
    Object.fromEntries([...rules].map(([id, { quality }]) => [id, estimate(id, quality, 1)])),
  );
  return sql`SELECT r.owner_id, v.vod_id AS vod, v.recorded_at,
      coalesce(v.duration_sec, 0) * (${bytesPerSec} ->> v.owner_id) AS size_bytes,
      (v.upload_status IS NULL OR v.upload_status IN ('pending', 'processing')) AS counts,
      v.is_growing, NULL AS seq, NULL AS protection
    FROM rules r CROSS JOIN vod_states v ON v.owner_id = r.owner_id
    WHERE NOT v.is_stored AND v.gone_at IS NULL AND ${which}`;
}

/** Of the VODs `v` that meet `which`: those that `retentions` (rankByRetention) would remove at once. */
export async function findRemovedAtOnce(
  database: Database,
  retentions: Statement,
  rules: Rules,
  which: Statement,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if ([...rules.values()].every(({ retention }) => retention.keep === "all")) return new Set();
  const unstored = await unstoredVods(database, rules, which);
  const rows = await database.all(sql`SELECT vod
    FROM (${rankByRetention(retentions, nowMs, unstored)}) WHERE is_unstored AND is_beyond`);
  return new Set(rows.map(({ vod }) => String(vod)));
}
