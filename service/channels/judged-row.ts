import { sql } from "#service/db/sql.ts";
import type { Row } from "#service/ports/database.ts";
import type { JudgedVod } from "./rule.ts";

/** The columns of a VOD `v` for {@link readJudged}. */
export const JUDGED_COLUMNS = sql`v.kind, v.title, v.duration_sec, v.recorded_at, v.is_growing`;

/**
 * Reads without a schema: a rule judges up to 100,000 rows in one request, and a schema takes longer
 * than all the rest.
 */
export function readJudged(row: Row): JudgedVod {
  const durationSec = row["duration_sec"] ?? null;
  return {
    kind: String(row["kind"]),
    title: String(row["title"]),
    durationSec: durationSec === null ? null : Number(durationSec),
    recordedAtMs: Number(row["recorded_at"]),
    isGrowing: row["is_growing"] === 1,
  };
}
