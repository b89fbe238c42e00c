import { PERMISSIONS } from "#contract/permissions.ts";
import { hashToken } from "#service/auth/session-tokens.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import type { Digests } from "#service/ports/digests.ts";

/** Opens a session of an hour with all rights, or renews it in a folder that was kept. */
export async function openSession(
  database: Database,
  digests: Digests,
  { bearer, cookie }: { readonly bearer: string; readonly cookie: string },
): Promise<void> {
  const nowMs = Date.now();
  const far = nowMs + 3_600_000;
  await database.batch([
    sql`INSERT INTO users (id, login, display_name, permissions, created_at)
      VALUES ('1', 'bench', 'Bench', ${JSON.stringify(PERMISSIONS)}, ${nowMs})
      ON CONFLICT (id) DO NOTHING`,
    sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash, bearer_expires_at, created_at,
        last_seen_at, expires_at)
      VALUES ('bench', '1', ${await hashToken(digests, cookie)}, ${await hashToken(digests, bearer)},
        ${far}, ${nowMs}, ${nowMs}, ${far})
      ON CONFLICT (id) DO UPDATE SET bearer_expires_at = ${far}, last_seen_at = ${nowMs},
        expires_at = ${far}, revoked_at = NULL`,
  ]);
}
