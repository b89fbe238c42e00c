import * as z from "zod/mini";
import { twitchUserIdSchema, userIdSchema } from "#contract/ids.ts";
import { permissionSchema } from "#contract/permissions.ts";
import type { User } from "#contract/users.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Row } from "#service/ports/database.ts";

const userRow = z.object({
  id: userIdSchema,
  version: z.number(),
  twitchId: twitchUserIdSchema,
  displayName: z.string(),
  login: z.string(),
  email: z.nullable(z.string()),
  profileImageUrl: z.nullable(z.string()),
  isBanned: flagColumn,
  banReason: z.nullable(z.string()),
  permissions: jsonText(z.array(permissionSchema)),
  lastLoginAt: z.nullable(instantColumn),
  createdAt: instantColumn,
  uploads: z.number(),
  storedBytes: z.number(),
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
