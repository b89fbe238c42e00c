import * as z from "zod/mini";
import { userSchema, type User } from "#contract/users.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Row } from "#service/ports/database.ts";

const userRow = z.extend(z.omit(userSchema, { isAdmin: true, isBootstrap: true }), {
  isBanned: flagColumn,
  permissions: jsonText(userSchema.shape.permissions),
  lastLoginAt: z.nullable(instantColumn),
  createdAt: instantColumn,
});

/** SELECT list for {@link readUser}; add WHERE and ORDER BY. */
export const SELECT_USER = sql`
  SELECT u.id, u.version, u.id AS twitchId, u.display_name AS displayName, u.login, u.email,
    u.profile_image_url AS profileImageUrl, u.banned_at IS NOT NULL AS isBanned,
    u.ban_reason AS banReason, u.permissions, u.last_login_at AS lastLoginAt,
    u.created_at AS createdAt,
    (SELECT count(*) FROM uploads WHERE owner_id = u.id) AS uploads,
    (SELECT coalesce(sum(bytes), 0) FROM file_counts WHERE user_id = u.id) AS storedBytes
  FROM users u`;

/** `bootstrapIds`: the administrators from the settings. */
export function readUser(row: Row, bootstrapIds: readonly string[]): User {
  const user = userRow.parse(row);
  return {
    ...user,
    isAdmin: user.permissions.length > 0,
    isBootstrap: bootstrapIds.includes(user.id),
  };
}
