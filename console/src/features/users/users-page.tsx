import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { RefreshCw, UserCheck, UserRound, UserRoundX, Users as UsersIcon } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import type { User } from "#contract/users.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatCount, formatTotal } from "#console/lib/format.ts";
import { useCan } from "#console/lib/session.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { Page } from "#console/ui/page.tsx";
import { Pagination } from "#console/ui/pagination.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { Select } from "#console/ui/select.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { StatCard, StatGrid } from "#console/ui/stat-card.tsx";
import { Toolbar } from "#console/ui/toolbar.tsx";
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

/** The order each sort begins with: the last sign-in first, names from A. */
const OWN_ORDER = { lastLoginAt: "desc", displayName: "asc" } as const;

const route = getRouteApi("/users");

export function UsersPage() {
  return useCan("read:users") ? (
    <Users />
  ) : (
    <Page title="Users">
      <ForbiddenState permission="read:users" />
    </Page>
  );
}

function Users() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback(
    (next: Partial<UsersSearch>, replace = false) => {
      void navigate({ search: (before) => ({ ...before, ...next }), replace, resetScroll: false });
    },
    [navigate],
  );
  const changeSearch = useCallback(
    (text: string) => change({ search: text || undefined, page: undefined }, true),
    [change],
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
  const { data } = users;
  const lastPage = data === undefined ? page : Math.max(1, Math.ceil(data.total / data.limit));
  const isBeyond = data !== undefined && data.items.length === 0 && page > lastPage;
  useEffect(() => {
    if (isBeyond) change({ page: lastPage === 1 ? undefined : lastPage }, true);
  }, [isBeyond, lastPage, change]);

  const [dialog, setDialog] = useState<OpenUserDialog | null>(null);
  const closeDialog = useCallback(() => setDialog(null), []);
  const isFiltered = search.search !== undefined || search.role !== undefined;

  return (
    <Page
      title="Users"
      actions={
        data !== undefined && (
          <StaleMark
            updatedAtMs={users.dataUpdatedAt}
            failing={users.isError}
            intervalMs={USERS_POLL_MS}
          />
        )
      }
    >
      <UserStats
        total={data && formatTotal(data.total, data.totalIsCapped)}
        failed={users.isError}
        isFiltered={isFiltered}
        users={data?.items}
      />
      <Toolbar>
        <SearchField
          placeholder="Search users by name, email, or Twitch ID..."
          value={search.search ?? ""}
          onChange={changeSearch}
        />
        <Select
          label="Role"
          value={search.role ?? "all"}
          options={ROLE_OPTIONS}
          onChange={(role) => change({ role: role === "all" ? undefined : role, page: undefined })}
        />
        <IconButton
          kind="secondary"
          label="Refresh"
          aria-keyshortcuts="r"
          data-shortcut="refresh"
          busy={users.isFetching}
          onClick={() => void users.refetch()}
        >
          <RefreshCw />
        </IconButton>
      </Toolbar>
      <Card flush>
        {users.isError && data === undefined ? (
          <ErrorState
            title="Failed to load users"
            message={messageOf(users.error)}
            retrying={users.isFetching}
            onRetry={() => void users.refetch()}
          />
        ) : data?.items.length === 0 ? (
          <EmptyState
            icon={<UserRoundX />}
            title="No users found"
            hint={
              isFiltered
                ? "Try adjusting your search or filter"
                : "Nobody has signed in yet. Owners of archived VODs appear here, too."
            }
            action={
              isFiltered && (
                <Button
                  onClick={() => change({ search: undefined, role: undefined, page: undefined })}
                >
                  Clear filters
                </Button>
              )
            }
          />
        ) : (
          <>
            <UsersTable
              users={data?.items}
              busy={users.isPlaceholderData}
              sortBy={sortBy}
              sortOrder={sortOrder}
              onSort={(sort) =>
                change({
                  sort: sort === "displayName" ? "name" : undefined,
                  order: sort === sortBy && search.order === undefined ? "reversed" : undefined,
                  page: undefined,
                })
              }
              onDetails={(user) => change({ user: user.id })}
              onDialog={setDialog}
            />
            {data !== undefined && data.total > DEFAULT_PAGE_SIZE && (
              <Pagination
                facts={data}
                noun="users"
                onPage={(next) => change({ page: next === 1 ? undefined : next })}
              />
            )}
          </>
        )}
      </Card>
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

/** Administrators and active users are counted on the page that shows (specification section 2). */
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
