import type * as z from "zod/mini";
import { rightsConfirmationSchema } from "#contract/consent.ts";
import { instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/**
 * An administrator's own confirmation of the rights to a channel's videos. It holds for that
 * administrator only, until they revoke it or the channel's owner withdraws consent.
 */

export async function findConfirmation(
  database: Pick<Database, "all">,
  ownerId: string,
  administratorId: string,
): Promise<z.infer<typeof rightsConfirmationSchema> | null> {
  const [row] = await database.all(sql`SELECT reason, confirmed_at
    FROM rights_confirmations WHERE ${isOf(ownerId, administratorId)}`);
  return row === undefined
    ? null
    : rightsConfirmationSchema.parse({
        reason: row["reason"],
        confirmedAt: instantColumn.parse(row["confirmed_at"]),
      });
}

/** Condition: the administrator has confirmed before, and neither party has ended that. */
export function isConfirmed(ownerId: string, administratorId: string): Statement {
  return sql`EXISTS (SELECT 1 FROM rights_confirmations WHERE ${isOf(ownerId, administratorId)})`;
}

export function rememberConfirmation(
  ownerId: string,
  administratorId: string,
  reason: string,
  nowMs: number,
): Statement {
  return sql`INSERT INTO rights_confirmations (owner_id, confirmed_by, reason, confirmed_at)
    VALUES (${ownerId}, ${administratorId}, ${reason}, ${nowMs})
    ON CONFLICT (owner_id, confirmed_by) DO UPDATE SET reason = excluded.reason,
      confirmed_at = excluded.confirmed_at`;
}

export function forgetConfirmation(ownerId: string, administratorId: string): Statement {
  return sql`DELETE FROM rights_confirmations WHERE ${isOf(ownerId, administratorId)}`;
}

function isOf(ownerId: string, administratorId: string): Statement {
  return sql`owner_id = ${ownerId} AND confirmed_by = ${administratorId}`;
}
