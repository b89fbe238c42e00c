import * as z from "zod/mini";
import { twitchUserIdSchema, userIdSchema } from "#contract/ids.ts";
import { permissionSchema } from "#contract/permissions.ts";
import type { User } from "#contract/users.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Row } from "#service/ports/database.ts";

const userRowSchema = z.object({
  id: userIdSchema,
  version: z.number(),
  login: z.string(),
  display_name: z.string(),
  email: z.nullable(z.string()),
  profile_image_url: z.nullable(z.string()),
  permissions: jsonText(z.array(permissionSchema)),
  banned_at: z.nullable(z.number()),
  ban_reason: z.nullable(z.string()),
  last_login_at: z.nullable(z.number()),
  created_at: z.number(),
  uploads: z.number(),
  stored_bytes: z.number(),
});

/** SELECT list for {@link readUser}; add WHERE and ORDER BY. */
export const SELECT_USER = sql`
  SELECT u.*,
    (SELECT count(*) FROM uploads WHERE owner_id = u.id) AS uploads,
    (SELECT coalesce(sum(bytes), 0) FROM file_counts WHERE user_id = u.id) AS stored_bytes
  FROM users u`;

/** `bootstrapIds`: the administrators from the settings. */
export function readUser(row: Row, bootstrapIds: readonly string[]): User {
  const user = userRowSchema.parse(row);
  return {
    id: user.id,
    version: user.version,
    twitchId: twitchUserIdSchema.parse(user.id),
    displayName: user.display_name,
    login: user.login,
    email: user.email,
    profileImageUrl: user.profile_image_url,
    isAdmin: user.permissions.length > 0,
    isBanned: user.banned_at !== null,
    banReason: user.ban_reason,
    isBootstrap: bootstrapIds.includes(user.id),
    permissions: user.permissions,
    lastLoginAt: user.last_login_at === null ? null : new Date(user.last_login_at).toISOString(),
    createdAt: new Date(user.created_at).toISOString(),
    uploads: user.uploads,
    storedBytes: user.stored_bytes,
  };
}
