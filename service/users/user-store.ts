import type { UserId } from "#contract/ids.ts";
import type { User } from "#contract/users.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import { readUser, SELECT_USER } from "./user-row.ts";

export async function findUser(context: ServiceContext, id: string): Promise<User | null> {
  const [row] = await context.platform.database.all(sql`${SELECT_USER} WHERE u.id = ${id}`);
  return row === undefined ? null : readUser(row, context.settings.ADMIN_TWITCH_IDS);
}

/** @throws {ApiError} not_found */
export async function requireUser(context: ServiceContext, id: UserId): Promise<User> {
  const user = await findUser(context, id);
  if (user === null) throw new ApiError("not_found", "There is no such user.");
  return user;
}
