import type { PagedList } from "#contract/paging.ts";
import type { listUsers, User } from "#contract/users.ts";
import type { QueryOf } from "#contract/call.ts";
import { listPage, pagedList, windowOf, type List } from "#service/db/list.ts";
import { searchFor } from "#service/db/search.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { Settings } from "#service/settings.ts";
import { readUser, SELECT_USER } from "./user-row.ts";

type UserQuery = QueryOf<typeof listUsers>;
type UserListContext = {
  readonly platform: { readonly database: Database };
  readonly settings: Pick<Settings, "ADMIN_TWITCH_IDS">;
};

/** One page of users, filtered, searched by name, email or Twitch id, and sorted. */
export async function pageUsers(
  context: UserListContext,
  query: UserQuery,
): Promise<PagedList<User>> {
  const { database } = context.platform;
  const total = await countUsers(context, query);
  const list = userList(query, total);
  // Lists show an "@" before logins, which no row contains.
  const typed = query.search?.trim().replace(/^@(?=.)/s, "");
  const search = searchFor("user_search", typed, ["name", "email", "id"]);
  const page = await listPage(database, list, search, total, windowOf(query));
  const rows = await database.all(
    sql`${SELECT_USER} WHERE u.seq IN (${page.rows}) ORDER BY ${page.orderBy}`,
  );
  const users = rows.map((row) => readUser(row, context.settings.ADMIN_TWITCH_IDS));
  return pagedList(users, page, query);
}

/** Up to so many are found sooner in an index that has the filters' columns than among all rows. */
const FEW = 1_000;

function userList(query: UserQuery, total: number): List {
  const table = sql`users u`;
  const where = filters(query);
  const isFew = where.length > 0 && total <= FEW;
  const sortedBy = SORT_COLUMNS[query.sortBy];
  return {
    inOrder: sortedBy.length === 0 && isFew ? sql`${table} INDEXED BY users_by_login_time` : table,
    byNumber: table,
    seq: sql`u.seq`,
    where,
    sortedBy,
    direction: query.sortOrder,
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

const SORT_COLUMNS: Readonly<Record<UserQuery["sortBy"], readonly Statement[]>> = {
  lastLoginAt: [sql`u.last_login_at`],
  displayName: [sql`u.display_name COLLATE NOCASE`],
  // Users are numbered as they are created.
  createdAt: [],
};

async function countUsers(
  context: UserListContext,
  { isAdmin, isBanned }: UserQuery,
): Promise<number> {
  const [row] = await context.platform.database.all(sql`
    SELECT coalesce(sum(users), 0) AS users FROM user_counts WHERE ${all([
      ...(isAdmin === undefined ? [] : [sql`is_admin = ${isAdmin ? 1 : 0}`]),
      ...(isBanned === undefined ? [] : [sql`is_banned = ${isBanned ? 1 : 0}`]),
    ])}`);
  return Number(row?.users ?? 0);
}
