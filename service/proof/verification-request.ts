import type { ObjectKey } from "#contract/files.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";

/**
 * Asks the scrub to read one file, or all if `key` is null, before all others and at full pace. Asking again
 * while one is still to come begins it anew. Resolves with the number of files that will be read: an
 * orphaned file has no digests and an unfinished upload no end, so they are skipped.
 */
export async function requestVerification(
  { platform }: ServiceContext,
  key: ObjectKey | null,
  actor: Actor,
): Promise<number> {
  const nowMs = platform.clock.now();
  const asked = key === null ? sql`TRUE` : sql`object_key = ${key}`;
  const [change] = await platform.database.batch([
    ...recordedChange(
      // How long a file is unreadable still counts from the first attempt.
      sql`UPDATE files SET verify_asked_at = ${nowMs}, verify_part = 1, verify_retry_at = NULL
        WHERE ${asked} AND verified_at IS NOT NULL AND status <> 'orphaned'
          AND upload_type <> 'chunk'`,
      nowMs,
      {
        audit: {
          ...actor,
          action: key === null ? "store.verify" : "file.verify",
          target: key,
        },
      },
    ),
  ]);
  return change?.changes ?? 0;
}
