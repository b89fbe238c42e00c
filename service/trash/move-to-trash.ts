import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { auditEntries, type AuditInput } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/** Time for people to notice and restore. */
export const IN_TRASH_HOURS = 14 * 24;
export const IN_TRASH_MS = IN_TRASH_HOURS * 3_600_000;

/** A person, or a rule in its author's name. */
type Mover = Pick<AuditInput, "requestId" | "token" | "address" | "reason"> & {
  readonly actorId: string;
};

/** Condition: the file `f` is free, and belongs to no running upload. */
export const MAY_GO_TO_TRASH = sql`f.locked_at IS NULL AND f.trash_until IS NULL AND NOT EXISTS (
  SELECT 1 FROM uploads u WHERE u.id = f.upload_id AND u.status IN ('pending', 'processing'))`;

/**
 * Moves those of the files to the trash that are free, meet `condition`, and belong to no running
 * upload. Resolves with their keys.
 */
export async function moveToTrash(
  { platform }: ServiceContext,
  keys: readonly string[],
  mover: Mover & { readonly isRule: boolean },
  nowMs: number,
  condition: Statement = sql`TRUE`,
): Promise<readonly ObjectKey[]> {
  const { isRule, ...actor } = mover;
  const untilMs = nowMs + IN_TRASH_MS;
  const mayGo = sql`f.object_key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))
    AND ${MAY_GO_TO_TRASH} AND ${condition}`;
  const [, change] = await platform.database.batch([
    auditEntries(
      {
        ...actor,
        action: "file.trash",
        after: { until: new Date(untilMs).toISOString() },
        atMs: nowMs,
      },
      sql`SELECT f.object_key AS id FROM files f WHERE ${mayGo}`,
    ),
    sql`UPDATE files AS f SET trashed_at = ${nowMs}, trash_until = ${untilMs},
        trashed_by = ${isRule ? null : actor.actorId}
      WHERE ${mayGo} RETURNING object_key`,
  ]);
  return (change?.rows ?? []).map((row) => objectKeySchema.parse(row["object_key"]));
}
