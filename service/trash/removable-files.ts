import type { Retention } from "#contract/channel-rules.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { rankByRetention } from "./beyond-retention.ts";

/**
 * Which files a retention removes. Simulations and the runs ask the same statement.
 *
 * A retention concerns the stored VODs of followed channels whose broadcasts have a date. It removes
 * all copies of those that are beyond it (beyond-retention.ts), but keeps, in this order of reasons:
 *
 * - `locked`: a person locked the file.
 * - `by_hand`: a person took the VOD: by an upload of it, or by a decision, also by *Archive all*. An
 *   index that was rebuilt calls all uploads a person's.
 * - `disputed`: index and store do not agree (proof/file-damage.ts), or a scan misses the file.
 * - `unproved`: the archive is not whole.
 * - `no_right`: the rule's author may not delete uploads (any more).
 * - `paused`: the channel's rule or all rules are paused.
 *
 * While no scan of the whole store has ended lately, all are `disputed`.
 */
export type RemovableFile = {
  readonly seq: number;
  readonly key: string;
  readonly sizeBytes: number;
  readonly isLastCopy: boolean;
  readonly authorId: string | null;
  /** Null unless it is in the trash. */
  readonly trashUntilMs: number | null;
  /** What holds back all files of its channel for now; null if nothing does. */
  readonly heldBy: "paused" | "disputed" | null;
};

export type RemovableFiles = {
  /** Oldest broadcast first, with those in the trash. */
  readonly files: readonly RemovableFile[];
  /** By the reason, how many are kept themselves, however long the other obstacles last. */
  readonly kept: ReadonlyMap<string, number>;
};

/** Scans of the store begin every half hour. */
const SCANNED_WITHIN_MS = 3 * 3_600_000;

/** The retentions as they are saved, each on the right of whoever set it. */
export const SAVED_RETENTIONS = sql`
  SELECT c.owner_id, coalesce(json_extract(c.changes, '$.retention'),
      json_extract(d.rule, '$.retention')) AS retention,
    iif(json_extract(c.changes, '$.retention') IS NULL, d.author_id, c.author_id) AS author_id,
    coalesce(c.paused_at, d.paused_at) AS paused_at
  FROM channels c CROSS JOIN channel_defaults d`;

/** A retention that a person thinks of, for one channel or, if null, those without their own. */
export function proposedRetention(
  channelId: string | null,
  retention: Retention,
  authorId: string | null,
): Statement {
  return sql`
    SELECT c.owner_id, ${JSON.stringify(retention)} AS retention, ${authorId} AS author_id,
      coalesce(c.paused_at, d.paused_at) AS paused_at
    FROM channels c CROSS JOIN channel_defaults d
    WHERE ${channelId === null ? sql`json_extract(c.changes, '$.retention') IS NULL` : sql`c.owner_id = ${channelId}`}`;
}

/** Condition: the user may delete uploads by a rule. */
export function mayRemove(userId: Statement): Statement {
  return mayDelete(userId, sql`AND instr(a.permissions, '"write:uploads"') > 0`);
}

/** Condition: the user may delete uploads. Asked once for all users. */
export function mayDelete(userId: Statement, and: Statement = sql``): Statement {
  return sql`${userId} IN (SELECT a.id FROM users a WHERE a.banned_at IS NULL
    AND instr(a.permissions, '"delete:uploads"') > 0 ${and})`;
}

export async function findRemovableFiles(
  database: Database,
  retentions: Statement,
  nowMs: number,
): Promise<RemovableFiles> {
  const rows = await database.all(sql`
    WITH beyond AS MATERIALIZED (
      SELECT CAST(copy.key AS INTEGER) AS seq, b.author_id, b.paused_at,
        copy.value IS 'trashed' AS is_trashed, coalesce(nullif(copy.value, 'trashed'),
          iif(${mayRemove(sql`b.author_id`)}, NULL, 'no_right')) AS keptBy
      FROM (${rankByRetention(retentions, nowMs)}) AS b CROSS JOIN json_each(b.files) AS copy
      WHERE b.is_beyond)
    SELECT NULL AS keptBy, 1 AS files, f.seq AS seq, f.object_key AS key, f.size_bytes AS sizeBytes,
      EXISTS (SELECT 1 FROM vods v WHERE v.vod_id = f.vod_id AND v.gone_at IS NOT NULL)
        AS isLastCopy,
      b.author_id AS authorId, f.trash_until AS trashUntilMs,
      CASE WHEN b.paused_at IS NOT NULL THEN 'paused'
        WHEN NOT EXISTS (SELECT 1 FROM store_scan WHERE ended_at >= ${nowMs - SCANNED_WITHIN_MS})
          THEN 'disputed' END AS heldBy, f.recorded_at AS recordedAt
    FROM beyond b JOIN files f ON f.seq = b.seq WHERE b.keptBy IS NULL
    UNION ALL SELECT keptBy, count(*), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM beyond WHERE keptBy IS NOT NULL AND NOT is_trashed GROUP BY keptBy
    ORDER BY recordedAt, seq`);
  const { own = [], kept = [] } = Object.groupBy(rows, (row) =>
    row["keptBy"] === null ? "own" : "kept",
  );
  return {
    files: own.map(readRemovable),
    kept: new Map(kept.map((row) => [String(row["keptBy"]), Number(row["files"])])),
  };
}

/** Without a schema: there may be 100,000. */
function readRemovable(row: Row): RemovableFile {
  const { heldBy } = row;
  return {
    seq: Number(row["seq"]),
    key: String(row["key"]),
    sizeBytes: Number(row["sizeBytes"]),
    isLastCopy: row["isLastCopy"] === 1,
    authorId: typeof row["authorId"] === "string" ? row["authorId"] : null,
    trashUntilMs: typeof row["trashUntilMs"] === "number" ? row["trashUntilMs"] : null,
    heldBy: heldBy === "paused" || heldBy === "disputed" ? heldBy : null,
  };
}
