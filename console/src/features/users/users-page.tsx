import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { listUsers, type User } from "#contract/users.ts";
import { pageQuery } from "#console/lib/call-query.ts";
import { formatCount, formatTotal } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { useList } from "#console/lib/use-list.ts";
import { lazyDialog } from "#console/ui/dialog.tsx";
import { Figures } from "#console/ui/figures.tsx";
import { DataTable } from "#console/ui/list/data-table.tsx";
import { FilterSelect } from "#console/ui/list/filter-select.tsx";
import { ListCard } from "#console/ui/list/list-card.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { ListBar } from "#console/domain/list-bar.tsx";
import { userColumns } from "./user-columns.tsx";
import type { OpenUserDialog } from "./user-dialog.tsx";
import type { UsersSearch } from "./users-search.ts";

const later = () => import("./later-parts.ts");
const UserDetailsDialog = lazyDialog(async () => (await later()).UserDetailsDialog);
const UserDialog = lazyDialog(async () => (await later()).UserDialog);

/** docs/console.md#intervals */
const USERS_POLL_MS = 30_000;

const ROLE_OPTIONS = [
  { value: "admin", label: "Administrators" },
  { value: "user", label: "Regular Users" },
  { value: "banned", label: "Banned Users" },
] as const;

const ROLE_FILTERS = {
  admin: { isAdmin: true },
  user: { isAdmin: false },
  banned: { isBanned: true },
} as const;

const route = getRouteApi("/users");

function listQuery({ page, search, role, sort, order }: UsersSearch) {
  return pageQuery(listUsers, {
    page: page ?? 1,
    search,
    ...(role === undefined ? {} : ROLE_FILTERS[role]),
    sortBy: sort === "name" ? "displayName" : "lastLoginAt",
    sortOrder: order ?? "desc",
  });
}

function prefetchUsers({ queryClient, search }: ScreenOpening<UsersSearch>) {
  return queryClient.prefetchQuery(listQuery(search));
}

function UsersPage({ title }: ScreenProps) {
  const search = route.useSearch();
  const users = usePolling(useQuery(listQuery(search)), USERS_POLL_MS);
  const { data } = users;
  const list = useList({
    search,
    navigate: route.useNavigate(),
    query: users,
    data,
    filters: ["role", "search"],
    defaultSort: "login",
    dialog: "user",
  });
  const { change, filter } = list;
  const [dialog, setDialog] = useState<OpenUserDialog | null>(null);
  const closeDialog = useCallback(() => setDialog(null), []);
  const columns = useMemo(
    () => userColumns((user) => change({ user: user.id }), setDialog),
    [change],
  );

  return (
    <Page title={title} actions={<StaleMark query={users} intervalMs={USERS_POLL_MS} />}>
      <UserStats
        total={data && formatTotal(data.total, data.totalIsCapped)}
        failed={users.isError}
        isFiltered={list.isFiltered}
        users={data?.items}
      />
      <ListBar list={list} placeholder="Search users by name, email, or Twitch ID...">
        <FilterSelect
          label="Role"
          all="All Users"
          value={search.role}
          options={ROLE_OPTIONS}
          onChange={(role) => filter({ role })}
        />
      </ListBar>
      <ListCard
        list={list}
        failure={{ title: "Failed to load users" }}
        empty={{
          title: "No users found",
          firstHint: "Nobody has signed in yet. Owners of archived VODs also appear here.",
        }}
        noun={["user", "users"]}
        pagination="beyond-one-page"
      >
        <DataTable
          list={list}
          caption="Users"
          columns={columns}
          idOf={({ id }) => id}
          skeletonRows={DEFAULT_PAGE_SIZE / 2}
        />
      </ListCard>
      {search.user !== undefined && (
        <UserDetailsDialog
          id={search.user}
          listed={data?.items.find(({ id }) => id === search.user)}
          onDialog={setDialog}
          onClose={list.closeDialog}
        />
      )}
      {dialog !== null && <UserDialog dialog={dialog} onClose={closeDialog} />}
    </Page>
  );
}

/** Counts administrators and active users on the current page (docs/console.md#pages). */
function UserStats({
  total,
  failed,
  isFiltered,
  users,
}: {
  readonly total: string | undefined;
  readonly failed: boolean;
  readonly isFiltered: boolean;
  readonly users: readonly User[] | undefined;
}) {
  const absent = failed ? "Unknown" : undefined;
  function countOf(counts: (user: User) => boolean) {
    return users === undefined ? absent : formatCount(users.filter(counts).length);
  }
  return (
    <Figures
      look="line"
      figures={[
        {
          name: "Total Users",
          value: total ?? absent,
          note: isFiltered ? "matching the search and filter" : undefined,
        },
        {
          name: "Administrators",
          value: countOf(({ isAdmin }) => isAdmin),
          note: "on this page",
        },
        {
          name: "Active Users",
          value: countOf(({ isBanned }) => !isBanned),
          note: "on this page",
        },
      ]}
    />
  );
}

export { UsersPage as Screen, prefetchUsers as prefetch };
