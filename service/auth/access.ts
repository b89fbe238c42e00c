import * as z from "zod/mini";
import { auditTokenSchema } from "#contract/audit.ts";
import { userIdSchema } from "#contract/ids.ts";
import { permissionSchema } from "#contract/permissions.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

/** The columns of a session, or of an API token, that tell whether it is live and what it may do. */
const accessRow = z.object({
  id: z.string(),
  user_id: userIdSchema,
  /** Null for a session. */
  token: z.nullable(jsonText(auditTokenSchema)),
  permissions: jsonText(z.array(permissionSchema)),
  banned_at: z.nullable(z.number()),
  revoked_at: z.nullable(z.number()),
  revoked_reason: z.nullable(z.string()),
  expires_at: z.number(),
  last_seen_at: z.number(),
});
export type Access = z.infer<typeof accessRow>;

/** The largest time of ECMAScript: tokens may have no end, and are live without use. */
const NEVER_MS = 8_640_000_000_000_000;

/** A token's rights now; add FROM api_tokens t JOIN users u. */
export const TOKEN_RIGHTS = sql`(
  SELECT json_group_array(value) FROM json_each(u.permissions)
  WHERE value IN (SELECT value FROM json_each(t.permissions)))`;

/** Sessions, ended ones too, and tokens by their ids, for what outlives its request. */
export async function findAccess(
  database: Database,
  ids: readonly string[],
): Promise<readonly Access[]> {
  const wanted = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const rows = await database.all(sql`
    SELECT s.id, s.user_id, NULL AS token, u.permissions, u.banned_at, s.revoked_at,
      s.revoked_reason, s.expires_at, s.last_seen_at
    FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id IN ${wanted}
    UNION ALL
    SELECT t.id, t.user_id, json_object('id', t.id, 'name', t.name), ${TOKEN_RIGHTS}, u.banned_at,
      NULL, NULL, coalesce(t.expires_at, ${NEVER_MS}), ${NEVER_MS}
    FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.id IN ${wanted}`);
  return rows.map((row) => accessRow.parse(row));
}
