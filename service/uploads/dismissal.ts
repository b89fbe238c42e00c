import type { BodyOf } from "#contract/call.ts";
import type { bulkDismiss } from "#contract/uploads.ts";
import { auditEntries } from "#service/changes/audit-entry.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import type { Platform } from "#service/platform.ts";
import { publishUploads } from "#service/storage/upload-events.ts";

/**
 * Dismisses those of the uploads that are failed, or takes their dismissal back, and returns how
 * many changed. A dismissed upload stays failed, but is no reason for a warning. A retry ends the
 * dismissal (storage/upload-actions.ts). Safe to repeat.
 */
export async function dismissFailures(
  platform: Pick<Platform, "database" | "hub" | "clock">,
  { ids, undo = false }: BodyOf<typeof bulkDismiss>,
  actor: Actor,
): Promise<number> {
  const nowMs = platform.clock.now();
  const changing = sql`uploads WHERE status = 'failed'
    AND (dismissed_at IS NOT NULL) = ${undo ? 1 : 0}
    AND id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const action = undo ? "upload.undismiss" : "upload.dismiss";
  const [, change] = await platform.database.batch([
    auditEntries({ ...actor, action, atMs: nowMs }, sql`SELECT id FROM ${changing}`),
    sql`UPDATE uploads SET dismissed_at = ${undo ? null : nowMs},
        dismissed_by = ${undo ? null : actor.actorId}, version = version + 1, updated_at = ${nowMs}
      WHERE id IN (SELECT id FROM ${changing})`,
  ]);
  const changed = change?.changes ?? 0;
  if (changed > 0) await publishUploads(platform, ids);
  return changed;
}
