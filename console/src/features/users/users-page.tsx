import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { UserCheck, UserRound, UserRoundX, Users as UsersIcon } from "lucide-react";
import { useCallback, useState } from "react";
import type { User } from "#contract/users.ts";
import { LINKED_PAGES } from "#contract/pages.ts";
import { formatCount, formatTotal } from "#console/lib/format.ts";
import { useListAddress, useRowsOfPage } from "#console/lib/list-address.ts";
import { usePolling } from "#console/lib/polling.ts";
import { FilterBar } from "#console/ui/list/filter-bar.tsx";
import { EmptyList, ListCard } from "#console/ui/list/list-card.tsx";
import { Page } from "#console/ui/page.tsx";
import { PermissionGate } from "#console/ui/permission-gate.tsx";
import { Select } from "#console/ui/select.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { StatCard, StatGrid } from "#console/ui/stat-card.tsx";
import { ListTools } from "#console/features/views/list-tools.tsx";
import { UserDetailsDialog } from "./user-details-dialog.tsx";
import { UserDialog, type OpenUserDialog } from "./user-dialog.tsx";
import { USERS_POLL_MS, usersQuery } from "./user-queries.ts";
import type { UsersSearch } from "./users-search.ts";
import { UsersTable, type UserSort } from "./users-table.tsx";

const ROLE_OPTIONS = [
  { value: "all", label: "All Users" },
  { value: "admin", label: "Administrators" },
  { value: "user", label: "Regular Users" },
] as const;

/** Initial order of each sort: latest sign-in first, names from A. */
const OWN_ORDER = { lastLoginAt: "desc", displayName: "asc" } as const;

/** User and Actions always show. */
const HIDEABLE = { role: "Role", "last-login": "Last Login", status: "Status" };

const route = getRouteApi("/users");

const TITLE = "Users";

export function UsersPage() {
  return (
    <PermissionGate permission={LINKED_PAGES["/users"]} title={TITLE}>
      <Users />
    </PermissionGate>
  );
}

function Users() {
  const search = route.useSearch();
  const { change, filter, searchFor, goTo, turn } = useListAddress<UsersSearch>(
    route.useNavigate(),
  );

  const sortBy: UserSort = search.sort === "name" ? "displayName" : "lastLoginAt";
  const opposite = OWN_ORDER[sortBy] === "asc" ? "desc" : "asc";
  const sortOrder = search.order === "reversed" ? opposite : OWN_ORDER[sortBy];
  const page = search.page ?? 1;
  const users = useQuery(
    usersQuery({
      page,
      search: search.search,
      isAdmin: search.role === undefined ? undefined : search.role === "admin",
      sortBy,
      sortOrder,
    }),
  );
  usePolling(users, USERS_POLL_MS);
  const { data } = users;
  const isFiltered = search.search !== undefined || search.role !== undefined;
  const items = useRowsOfPage(
    page,
    data,
    data?.items,
    goTo,
    users.isPlaceholderData && !isFiltered,
  );

  const [dialog, setDialog] = useState<OpenUserDialog | null>(null);
  const closeDialog = useCallback(() => setDialog(null), []);

  return (
    <Page title={TITLE} actions={<StaleMark query={users} intervalMs={USERS_POLL_MS} />}>
      <UserStats
        total={data && formatTotal(data.total, data.totalIsCapped)}
        failed={users.isError}
        isFiltered={isFiltered}
        users={data?.items}
      />
      <FilterBar
        search={{
          placeholder: "Search users by name, email, or Twitch ID...",
          value: search.search ?? "",
          onChange: searchFor,
        }}
        refreshing={users.isFetching}
        onRefresh={() => void users.refetch()}
        tools={
          <ListTools
            screen="/users"
            columns={HIDEABLE}
            current={{
              role: search.role,
              search: search.search,
              sort: search.sort,
              order: search.order,
              hide: search.hide,
            }}
            onHide={(hide) => change({ hide }, true)}
          />
        }
      >
        <Select
          label="Role"
          value={search.role ?? "all"}
          options={ROLE_OPTIONS}
          onChange={(role) => filter({ role: role === "all" ? undefined : role })}
        />
      </FilterBar>
      <ListCard
        query={users}
        facts={data}
        isEmpty={items?.length === 0}
        failure={{ title: "Failed to load users" }}
        empty={
          <EmptyList
            icon={<UserRoundX />}
            title="No users found"
            onClear={isFiltered ? () => filter({ search: undefined, role: undefined }) : undefined}
            firstHint="Nobody has signed in yet. Owners of archived VODs appear here, too."
          />
        }
        noun={["user", "users"]}
        pagination="beyond-one-page"
        hide={search.hide}
        page={page}
        onTurn={turn}
      >
        <UsersTable
          users={items}
          busy={users.isPlaceholderData}
          sortBy={sortBy}
          sortOrder={sortOrder}
          onSort={(sort) =>
            filter({
              sort: sort === "displayName" ? "name" : undefined,
              order: sort === sortBy && search.order === undefined ? "reversed" : undefined,
            })
          }
          onDetails={(user) => change({ user: user.id })}
          onDialog={setDialog}
        />
      </ListCard>
      {search.user !== undefined && (
        <UserDetailsDialog
          id={search.user}
          listed={data?.items.find(({ id }) => id === search.user)}
          onDialog={setDialog}
          onClose={() => change({ user: undefined }, true)}
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
  const absent = failed ? "Unknown" : null;
  function countOf(counts: (user: User) => boolean) {
    return users === undefined ? absent : formatCount(users.filter(counts).length);
  }
  return (
    <StatGrid>
      <StatCard
        label="Total Users"
        value={total ?? absent}
        note={isFiltered ? "matching the search and filter" : "all accounts"}
        icon={<UsersIcon aria-hidden="true" />}
      />
      <StatCard
        label="Administrators"
        value={countOf(({ isAdmin }) => isAdmin)}
        note="on this page"
        icon={<UserRound aria-hidden="true" />}
      />
      <StatCard
        label="Active Users"
        value={countOf(({ isBanned }) => !isBanned)}
        note="not banned, on this page"
        icon={<UserCheck aria-hidden="true" />}
      />
    </StatGrid>
  );
}
