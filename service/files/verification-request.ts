import type { ObjectKey } from "#contract/files.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import type { Statement } from "#service/ports/database.ts";

/*
 * People may ask that the scrub reads files at once: some, by `file_checks.asked_at`, or all that
 * were not verified since `verification_of_all.asked_at`. Asking again while it is still to come begins
 * a file anew.
 */

/** The time since which all files have to be verified; 0 if nobody asked. */
export const ALL_ASKED_AT = sql`coalesce((SELECT asked_at FROM verification_of_all), 0)`;

/** Condition on a row of `file_checks`. */
export function isAskedFor(check: Statement): Statement {
  return sql`(${check}.asked_at IS NOT NULL OR ${check}.verified_at < ${ALL_ASKED_AT})`;
}

/** An orphaned file has no digests, an unfinished upload has no end. */
const IS_WHOLE = sql`status <> 'orphaned' AND upload_type <> 'chunk'`;

/** Resolves with the number of files that will be read; others are skipped. */
export async function requestFiles(
  { platform }: ServiceContext,
  keys: readonly ObjectKey[],
  actor: Actor,
): Promise<number> {
  const nowMs = platform.clock.now();
  const asked = sql`object_key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  const [change] = await platform.database.batch([
    ...recordedChange(
      sql`UPDATE file_checks SET asked_at = ${nowMs}, next_part = 1
        WHERE ${asked} AND object_key IN (SELECT object_key FROM files WHERE ${asked} AND ${IS_WHOLE})`,
      nowMs,
      {
        audit: {
          ...actor,
          action: "file.verify",
          target: keys.length === 1 ? (keys[0] ?? null) : null,
          after: { files: keys.length },
        },
      },
    ),
    retryAtOnce(asked),
  ]);
  return change?.changes ?? 0;
}

/** Resolves with the number of files that are stored. */
export async function requestEverything(
  { platform }: ServiceContext,
  actor: Actor,
): Promise<number> {
  const nowMs = platform.clock.now();
  const [found] = await platform.database.all(
    sql`SELECT value AS files FROM counters WHERE name = 'files.total'`,
  );
  const files = Number(found?.files ?? 0);
  await platform.database.batch([
    ...recordedChange(
      sql`INSERT INTO verification_of_all (id, asked_at) VALUES (1, ${nowMs})
        ON CONFLICT (id) DO UPDATE SET asked_at = excluded.asked_at`,
      nowMs,
      { audit: { ...actor, action: "store.verify", target: null, after: { files } } },
    ),
    sql`UPDATE file_checks SET next_part = 1 WHERE next_part > 1`,
    retryAtOnce(sql`TRUE`),
  ]);
  return files;
}

/** How long a file is unreadable still counts from the first attempt. */
function retryAtOnce(which: Statement): Statement {
  return sql`UPDATE unreadable_files SET retry_at = 0 WHERE ${which}`;
}
