import { hash } from "node:crypto";
import { PERMISSIONS } from "#contract/permissions.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

export const ADMIN = "1001";
/** May be banned. */
export const HELPER = "1002";
/** Signed in without Twitch: the rows that a sign-in leaves. */
export async function addUsers(database: Database, nowMs: number): Promise<void> {
  for (const id of [ADMIN, HELPER])
    await database.batch([
      sql`INSERT INTO users (id, login, display_name, permissions, created_at)
        VALUES (${id}, ${`user${id}`}, ${`User${id}`}, ${JSON.stringify(PERMISSIONS)}, 0)`,
      sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash, bearer_expires_at, created_at,
          last_seen_at, expires_at, rotated_at)
        VALUES (${`session-${id}`}, ${id}, ${`none-${id}`}, ${hashOf(tokenOf(id))}, 0, ${nowMs},
          ${nowMs}, ${nowMs + DAY_MS}, ${nowMs})`,
      sql`INSERT INTO notification_preferences (user_id, email, enabled_events, updated_at)
        VALUES (${id}, ${`user${id}@example.org`}, ${JSON.stringify(
          Object.fromEntries(
            ["upload_completed", "upload_failed", "retries_exhausted"].map((type) => [
              type,
              ["email", "browser"],
            ]),
          ),
        )}, 0)`,
    ]);
}

export function tokenOf(userId: string): string {
  return hash("sha256", userId, "hex");
}

function hashOf(token: string): string {
  return hash("sha256", token, "hex");
}

const DAY_MS = 86_400_000;
