import * as z from "zod/mini";
import type { Retention } from "#contract/channel-rules.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { type Copy, rankByRetention } from "./beyond-retention.ts";

/**
 * Which files a retention removes. Simulations and the runs ask the same function.
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
export type RemovableFile = Omit<Copy, "isLastCopy"> & {
  readonly isLastCopy: boolean;
  readonly authorId: string | null;
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
export const SAVED_RETENTIONS = retentionsOf(
  sql`coalesce(json_extract(c.changes, '$.retention'), json_extract(d.default_rule, '$.retention'))`,
  sql`iif(json_extract(c.changes, '$.retention') IS NULL, d.default_rule_author_id, c.author_id)`,
);

/** A retention that a person thinks of, for one channel or, if null, those without their own. */
export function proposedRetention(
  channelId: string | null,
  retention: Retention,
  authorId: string | null,
): Statement {
  return sql`${retentionsOf(sql`${JSON.stringify(retention)}`, sql`${authorId}`)}
    WHERE ${channelId === null ? sql`json_extract(c.changes, '$.retention') IS NULL` : sql`c.owner_id = ${channelId}`}`;
}

function retentionsOf(retention: Statement, authorId: Statement): Statement {
  return sql`SELECT c.owner_id, ${retention} AS retention, ${authorId} AS author_id,
      ${mayRemove(authorId)} AS may_remove, coalesce(c.paused_at, d.rules_paused_at) AS paused_at,
      d.scan_ended_at AS scanned_at
    FROM channels c CROSS JOIN deployment d`;
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
  const files: RemovableFile[] = [];
  const kept = new Map<string, number>();
  for (const [row, vods] of await rankByRetention(database, retentions, nowMs, new Map())) {
    const { author_id: authorId, may_remove: mayGo, paused_at, scanned_at } = ruledRow.parse(row);
    const isScanned = scanned_at !== null && scanned_at >= nowMs - SCANNED_WITHIN_MS;
    const heldBy = paused_at !== null ? "paused" : isScanned ? null : "disputed";
    for (const copy of vods.flatMap(({ isBeyond, copies }) => (isBeyond ? copies : []))) {
      const keptBy = copy.protection ?? (mayGo === 1 ? null : "no_right");
      if (keptBy === null)
        files.push({ ...copy, isLastCopy: copy.isLastCopy === 1, authorId, heldBy });
      else if (copy.trashUntilMs === null) kept.set(keptBy, (kept.get(keptBy) ?? 0) + 1);
    }
  }
  const inOrder = files.toSorted(
    (one, other) => one.recordedAtMs - other.recordedAtMs || one.seq - other.seq,
  );
  return { files: inOrder, kept };
}

const ruledRow = z.object({
  author_id: z.nullable(z.string()),
  may_remove: z.nullable(z.number()),
  paused_at: z.nullable(z.number()),
  scanned_at: z.nullable(z.number()),
});
