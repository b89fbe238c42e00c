import * as z from "zod/mini";
import { userIdSchema } from "#contract/ids.ts";
import { permissionSchema } from "#contract/permissions.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Row } from "#service/ports/database.ts";

/** Why a session ended; kept on its row. */
export type RevocationReason =
  | "signed_out"
  | "expired"
  | "replaced"
  | "banned"
  | "bearer_reused"
  | "disconnected_at_twitch"
  | "twitch_token_unreadable"
  | "too_many"
  | "ended_by_administrator";

/** Tell users why a session ended that they did not end themselves. */
export const END_SENTENCES: ReadonlyMap<string | null, string> = new Map<RevocationReason, string>([
  ["expired", "Your session has expired."],
  ["too_many", "You signed in elsewhere. That ended this session, your oldest of more than 20."],
  [
    "bearer_reused",
    "Your session was ended for safety: one of its earlier tokens was used a second time.",
  ],
  ["disconnected_at_twitch", "Twitch no longer confirms the sign-in of this session."],
  ["ended_by_administrator", "An administrator ended your sessions."],
]);

/** A row of `sessions` joined with its user: rights are read again for each request. */
const sessionRowSchema = z.object({
  id: z.string(),
  user_id: userIdSchema,
  cookie_hash: z.string(),
  bearer_hash: z.string(),
  bearer_family_hash: z.nullable(z.string()),
  rotated_at: z.nullable(z.number()),
  bearer_expires_at: z.number(),
  created_at: z.number(),
  last_seen_at: z.number(),
  expires_at: z.number(),
  revoked_at: z.nullable(z.number()),
  revoked_reason: z.nullable(z.string()),
  login: z.string(),
  display_name: z.string(),
  profile_image_url: z.nullable(z.string()),
  permissions: jsonText(z.array(permissionSchema)),
  banned_at: z.nullable(z.number()),
});
export type SessionRow = z.infer<typeof sessionRowSchema>;

/** SELECT list for {@link readSession}; add WHERE. */
export const SELECT_SESSION = sql`
  SELECT s.id, s.user_id, s.cookie_hash, s.bearer_hash, s.bearer_family_hash, s.rotated_at,
    s.bearer_expires_at, s.created_at, s.last_seen_at, s.expires_at, s.revoked_at,
    s.revoked_reason, u.login, u.display_name, u.profile_image_url, u.permissions, u.banned_at
  FROM sessions s JOIN users u ON u.id = s.user_id`;

export function readSession(row: Row): SessionRow {
  return sessionRowSchema.parse(row);
}
