import type { Admin } from "#contract/auth.ts";
import { twitchUserIdSchema } from "#contract/ids.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { deploymentOf } from "#service/deployment.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { planReindexing } from "#service/storage/stored-name.ts";
import type { TwitchUser } from "#service/twitch/twitch-api.ts";
import type { SessionRow } from "./session-row.ts";
import { endTokens } from "./token-access.ts";

/**
 * Stores Twitch's data about a user who signs in. For a banned user only the name is updated.
 */
export function upsertUser(
  user: TwitchUser,
  isBootstrap: boolean,
  nowMs: number,
): readonly [Statement, Statement] {
  const permissions = JSON.stringify(isBootstrap ? PERMISSIONS : []);
  const stored = sql`
    INSERT INTO users (id, login, display_name, email, profile_image_url, permissions,
      last_login_at, created_at)
    VALUES (${user.id}, ${user.login}, ${user.displayName}, ${user.email}, ${user.profileImageUrl},
      ${permissions}, ${nowMs}, ${nowMs})
    ON CONFLICT (id) DO UPDATE SET
      login = excluded.login, display_name = excluded.display_name, email = excluded.email,
      profile_image_url = excluded.profile_image_url,
      permissions = CASE WHEN excluded.permissions = '[]' THEN permissions ELSE excluded.permissions END,
      banned_at = CASE WHEN excluded.permissions = '[]' THEN banned_at END,
      last_login_at = CASE WHEN banned_at IS NULL THEN excluded.last_login_at ELSE last_login_at END`;
  return [planReindexing([user], nowMs), stored];
}

/** Administrators from the settings hold every permission and cannot be banned. */
export function keepBootstrapAdministrators(ids: readonly string[]): readonly Statement[] {
  return ids.map(
    (id) => sql`
      UPDATE users SET permissions = ${JSON.stringify(PERMISSIONS)}, banned_at = NULL,
        ban_reason = NULL, version = version + 1
      WHERE id = ${id} AND (permissions <> ${JSON.stringify(PERMISSIONS)} OR banned_at IS NOT NULL)`,
  );
}

export function withdrawAllRights(): readonly Statement[] {
  return [
    sql`UPDATE users SET permissions = '[]', version = version + 1 WHERE permissions <> '[]'`,
    endTokens,
  ];
}

/** Whether a user with permissions can sign in. */
export async function hasAdministrator(database: Pick<Database, "all">): Promise<boolean> {
  const found = await database.all(
    sql`SELECT 1 FROM users WHERE permissions <> '[]' AND banned_at IS NULL LIMIT 1`,
  );
  return found.length > 0;
}

export type Account = Pick<
  SessionRow,
  "user_id" | "login" | "display_name" | "profile_image_url" | "permissions"
>;

/**
 * Users without permissions learn whether nobody has any, neither in the database nor by
 * ADMIN_TWITCH_IDS, because then nobody can give them some.
 */
export async function describeAdmin(
  { platform, settings }: Pick<ServiceContext, "platform" | "settings">,
  session: Account,
): Promise<Admin> {
  const isAdmin = session.permissions.length > 0;
  const isHelpless =
    !isAdmin &&
    settings.ADMIN_TWITCH_IDS.length === 0 &&
    !(await hasAdministrator(platform.database));
  return {
    id: session.user_id,
    twitchId: twitchUserIdSchema.parse(session.user_id),
    login: session.login,
    displayName: session.display_name,
    profileImageUrl: session.profile_image_url,
    isAdmin,
    permissions: session.permissions,
    deployment: deploymentOf({ platform, settings }),
    ...(isHelpless ? { noAdministrator: true } : {}),
  };
}
