import type { PagedList } from "#contract/paging.ts";
import type { listUsers, User } from "#contract/users.ts";
import type { QueryOf } from "#contract/call.ts";
import type { ServiceContext } from "#service/context.ts";
import { createListMemory, isWorthRemembering } from "#service/db/list-memory.ts";
import {
  inDirection,
  type Direction,
  type ListPage,
  type ListShape,
  type ListWindow,
} from "#service/db/list-shape.ts";
import { pinPage, plainPage, searchPage } from "#service/db/list-page.ts";
import { pagedList } from "#service/db/paged-list.ts";
import { isFoldedBySql, searchMatch, searchTerm } from "#service/db/search-match.ts";
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
  const shape = {
    from: sql`users u`,
    seq: sql`u.seq`,
    where: filters(query),
    orderBy: (towards: Direction) => orderOf(query.sortBy, towards),
    direction: query.sortOrder,
  };
  const window = { offset: (query.page - 1) * query.limit, limit: query.limit };
  const term = nameTerm(query.search);
  const find = () => seekPage(context, query, shape, window);
  const page = isWorthRemembering(term, window)
    ? await pages.recall(database, query, async () => await pinPage(database, await find()))
    : await find();
  const rows =
    page.rows === null
      ? []
      : await database.all(sql`
          ${SELECT_USER} WHERE u.seq IN (${page.rows}) ORDER BY ${shape.orderBy(query.sortOrder)}`);
  const users = rows.map((row) => readUser(row, context.settings.ADMIN_TWITCH_IDS));
  return pagedList(users, page, query);
}

const pages = createListMemory<ListPage>("users");

async function seekPage(
  context: ServiceContext,
  query: UserQuery,
  shape: ListShape,
  window: ListWindow,
): Promise<ListPage> {
  const total = await countUsers(context, query);
  const term = nameTerm(query.search);
  if (term === null) return plainPage(shape, total, window);
  const facets = {
    role: facetOf(query.isAdmin, "admin", "user"),
    standing: facetOf(query.isBanned, "banned", "active"),
  };
  const index = { trigrams: "user_trigrams", grams: "user_grams" } as const;
  const search = {
    match: searchMatch(index, term, ["name", "email", "id"], facets),
    isIndexOrder: false,
    rest: [],
    table: sql`users u`,
    test: holds(term),
  };
  return await searchPage(context.platform.database, shape, search, total, window);
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

function orderOf(sort: UserQuery["sortBy"], towards: Direction): Statement {
  const way = inDirection(towards);
  return sql`${SORT_COLUMNS[sort]} ${way}, u.seq ${way}`;
}

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

function facetOf(asked: boolean | undefined, yes: string, no: string): string | undefined {
  return asked === undefined ? undefined : asked ? yes : no;
}

/** Removes the "@" that lists show before logins and that no row contains. */
function nameTerm(typed: string | undefined): string | null {
  return searchTerm(typed)?.replace(/^@(?=.)/s, "") ?? null;
}

/** The search as a condition on one row. */
function holds(term: string): Statement | null {
  if (!isFoldedBySql(term)) return null;
  const folded = term.toLowerCase();
  return sql`(instr(lower(u.login), ${folded}) > 0 OR instr(lower(u.display_name), ${folded}) > 0
    OR instr(lower(coalesce(u.email, '')), ${folded}) > 0 OR instr(u.id, ${folded}) > 0)`;
}
