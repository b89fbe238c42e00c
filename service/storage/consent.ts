import * as z from "zod/mini";
import type { Consent } from "#contract/consent.ts";
import { instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

const consentRow = z.object({
  text_version: z.number(),
  agreed_at: instantColumn,
  withdrawn_at: z.nullable(instantColumn),
});

/** The newest consent of an owner; null if there never was one, or while the owner is banned. */
export async function findConsent(
  database: Pick<Database, "all">,
  ownerId: string | null,
): Promise<Consent | null> {
  const [row] = await database.all(sql`
    SELECT c.text_version, c.agreed_at, c.withdrawn_at
    FROM consents c JOIN users o ON o.id = c.owner_id
    WHERE c.owner_id = ${ownerId} AND o.banned_at IS NULL`);
  if (row === undefined) return null;
  const consent = consentRow.parse(row);
  return {
    textVersion: consent.text_version,
    agreedAt: consent.agreed_at,
    withdrawnAt: consent.withdrawn_at,
  };
}

/** Condition: the owner's consent to this version of the text is in force. */
export function isInForce(ownerId: string, textVersion: number): Statement {
  return sql`EXISTS (SELECT 1 FROM consents c JOIN users o ON o.id = c.owner_id
    WHERE c.owner_id = ${ownerId} AND c.text_version = ${textVersion}
      AND c.withdrawn_at IS NULL AND o.banned_at IS NULL)`;
}
