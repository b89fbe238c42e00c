import * as z from "zod/mini";
import { KEY_REPLACEMENTS, type KeyReplacementCause } from "#contract/audit.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { fingerprintOf } from "#service/secrets/key-fingerprint.ts";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSigner } from "#service/secrets/signer.ts";
import { createAuditMarks } from "./audit-marks.ts";

const ACTION = "audit.replace_key";

/** The entry, which the new key seals: up to it, only the seals themselves vouch for the log. */
export type KeyReplacement = { readonly seq: number; readonly cause: KeyReplacementCause };

/**
 * Lets the audit log go on with a SECRET_KEY that did not sign it, after a visible break: the entry
 * that says so. Seals stay, so what is changed in the entries before it is found as ever. What the
 * former key encrypted is lost. No service may use the database meanwhile.
 */
export async function replaceKey(
  database: Database,
  secretKey: string,
  { cause, atMs }: { readonly cause: KeyReplacementCause; readonly atMs: number },
): Promise<void> {
  const keyring = createKeyring({ SECRET_KEY: secretKey, SECRET_KEY_PREVIOUS: undefined });
  const marks = createAuditMarks(database, await createSigner(keyring, AUDIT_LOG));
  const keyFingerprint = await fingerprintOf(secretKey);
  const [row] = await database.all(sql`SELECT key_fingerprint FROM deployment`);
  await database.batch([
    ...(await marks.adopt()),
    auditEntry({
      atMs,
      actorId: null,
      action: ACTION,
      before: { keyFingerprint: row?.["key_fingerprint"] ?? null },
      after: { keyFingerprint, cause },
    }),
    sql`UPDATE deployment SET key_fingerprint = ${keyFingerprint}`,
  ]);
}

/** What the log's signatures are for. */
export const AUDIT_LOG = "audit log";

const replacementRow = z.object({ seq: z.number(), cause: z.enum(KEY_REPLACEMENTS) });

/** The newest one that the log still has. */
export async function findKeyReplacement(
  database: Pick<Database, "all">,
): Promise<KeyReplacement | null> {
  const [row] = await database.all(sql`SELECT seq, after ->> 'cause' AS cause FROM audit
    WHERE action = ${ACTION} AND result = 'done' ORDER BY seq DESC LIMIT 1`);
  return row === undefined ? null : replacementRow.parse(row);
}
