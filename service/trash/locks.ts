import type { ObjectKey } from "#contract/files.ts";
import { ApiError } from "#service/api-error.ts";
import { auditEntries } from "#service/changes/audit-entry.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor, Principal } from "#service/http/route.ts";
import type { Statement } from "#service/ports/database.ts";
import { SAVED_RETENTIONS } from "./removable-files.ts";

/**
 * A file is free, locked, or in the trash; never both of the latter. A locked one can't be deleted
 * (files/file-deletion.ts).
 *
 * | from   | to       | by
 * |--------|----------|------------------------------------------------
 * | free   | locked   | a person
 * | free   | in trash | a retention rule (retention-run.ts), or a person
 * | trash  | locked   | a person, who locks it, or restores what a rule removed
 * | trash  | free     | a person, who restores what a person removed
 * | trash  | deleted  | the same rule or the service after 14 days, or a person at once
 * | locked | free     | a person; one who may delete it if a rule does so then
 */

const OUT_OF_TRASH = sql`trashed_at = NULL, trash_until = NULL, trashed_by = NULL`;

/**
 * Locks a file, which also takes it out of the trash, or unlocks it. Safe to repeat. Resolves with the time
 * since which it is locked.
 * @throws {ApiError} not_found
 */
export async function setLock(
  { platform }: ServiceContext,
  key: ObjectKey,
  isLocked: boolean,
  actor: Actor,
): Promise<number | null> {
  const nowMs = platform.clock.now();
  await platform.database.batch(
    recordedChange(
      isLocked
        ? lock(sql`object_key = ${key} AND locked_at IS NULL`, nowMs)
        : sql`UPDATE files SET locked_at = NULL
            WHERE object_key = ${key} AND locked_at IS NOT NULL`,
      nowMs,
      { audit: { ...actor, action: isLocked ? "file.lock" : "file.unlock", target: key } },
    ),
  );
  const [file] = await platform.database.all(
    sql`SELECT locked_at FROM files WHERE object_key = ${key}`,
  );
  if (file === undefined) throw new ApiError("not_found", "There is no such file.");
  return file.locked_at === null ? null : Number(file.locked_at);
}

/** Takes files out of the trash, and locks those of rules. Safe to repeat. Resolves with their number. */
export async function restoreFiles(
  { platform }: ServiceContext,
  keys: readonly ObjectKey[],
  actor: Actor,
): Promise<number> {
  const nowMs = platform.clock.now();
  const trashed = sql`trash_until IS NOT NULL
    AND object_key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  const [, change] = await platform.database.batch([
    auditEntries(
      { ...actor, action: "file.restore", atMs: nowMs },
      sql`SELECT object_key AS id FROM files WHERE ${trashed}`,
    ),
    sql`UPDATE files SET locked_at = iif(trashed_by IS NULL, ${nowMs}, NULL), ${OUT_OF_TRASH}
      WHERE ${trashed}`,
  ]);
  return change?.changes ?? 0;
}

/**
 * Call before a file is unlocked: a rule may remove it then.
 * @throws {ApiError} forbidden
 */
export async function requireMayUnlock(
  { platform }: ServiceContext,
  key: ObjectKey,
  { permissions }: Principal,
): Promise<void> {
  if (permissions.includes("delete:uploads")) return;
  const [rule] = await platform.database.all(sql`
    SELECT 1 FROM files f JOIN (${SAVED_RETENTIONS}) r ON r.owner_id = f.user_id
    WHERE f.object_key = ${key} AND json_extract(r.retention, '$.keep') <> 'all'`);
  if (rule !== undefined)
    throw new ApiError(
      "forbidden",
      "The rule of this channel removes files. Unlocking one needs the permission delete:uploads.",
    );
}

function lock(which: Statement, nowMs: number): Statement {
  return sql`UPDATE files SET locked_at = ${nowMs}, ${OUT_OF_TRASH} WHERE ${which}`;
}
