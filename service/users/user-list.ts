import type { PagedList } from "#contract/paging.ts";
import type { listUsers, User } from "#contract/users.ts";
import type { QueryOf } from "#contract/call.ts";
import type { ServiceContext } from "#service/context.ts";
import { inDirection, listPage, pagedList, windowOf, type List } from "#service/db/list.ts";
import { searchFor } from "#service/db/search.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { readUser, SELECT_USER } from "./user-row.ts";

type UserQuery = QueryOf<typeof listUsers>;

/** One page of users, filtered, searched by name, email or Twitch id, and sorted. */
export async function pageUsers(
  context: ServiceContext,
  query: UserQuery,
): Promise<PagedList<User>> {
  const { database } = context.platform;
  const list = userList(query);
  const total = await countUsers(context, query);
  // Lists show an "@" before logins, which no row contains.
  const typed = query.search?.trim().replace(/^@(?=.)/s, "");
  const search = searchFor("user_search", typed, ["name", "email", "id"]);
  const page = await listPage(database, list, search, total, windowOf(query));
  const rows = await database.all(
    sql`${SELECT_USER} WHERE u.seq IN (${page.rows}) ORDER BY ${list.orderBy}`,
  );
  const users = rows.map((row) => readUser(row, context.settings.ADMIN_TWITCH_IDS));
  return pagedList(users, page, query);
}

function userList(query: UserQuery): List {
  const direction = inDirection(query.sortOrder);
  const table = sql`users u`;
  return {
    inOrder: table,
    byNumber: table,
    seq: sql`u.seq`,
    where: filters(query),
    orderBy: sql`${SORT_COLUMNS[query.sortBy]} ${direction}, u.seq ${direction}`,
    byCreation: null,
  };
}

function filters({ isAdmin, isBanned }: UserQuery): readonly Statement[] {
  return [
    ...(isAdmin === undefined
      ? []
      : [isAdmin ? sql`u.permissions <> '[]'` : sql`u.permissions = '[]'`]),
    ...(isBanned === undefined
      ? []
      : [isBanned ? sql`u.banned_at IS NOT NULL` : sql`u.banned_at IS NULL`]),
  ];
}

const SORT_COLUMNS: Readonly<Record<UserQuery["sortBy"], Statement>> = {
  lastLoginAt: sql`u.last_login_at`,
  displayName: sql`u.display_name COLLATE NOCASE`,
  createdAt: sql`u.created_at`,
};

async function countUsers(
  context: ServiceContext,
  { isAdmin, isBanned }: UserQuery,
): Promise<number> {
  const [row] = await context.platform.database.all(sql`
    SELECT coalesce(sum(users), 0) AS users FROM user_counts WHERE ${all([
      ...(isAdmin === undefined ? [] : [sql`is_admin = ${isAdmin ? 1 : 0}`]),
      ...(isBanned === undefined ? [] : [sql`is_banned = ${isBanned ? 1 : 0}`]),
    ])}`);
  return Number(row?.users ?? 0);
}
