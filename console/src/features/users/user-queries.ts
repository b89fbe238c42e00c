import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { QueryOf } from "#contract/call.ts";
import type { UserId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { getUser, listUsers, type User } from "#contract/users.ts";
import { call } from "#console/lib/api-client.ts";

/** docs/console.md#intervals */
export const USERS_POLL_MS = 30_000;

export const USERS_KEY = ["users"] as const;

/** View of the list of users; part of its cache key. */
export type UsersView = {
  readonly page: number;
  readonly search?: string | undefined;
  readonly isAdmin?: boolean | undefined;
} & Pick<QueryOf<typeof listUsers>, "sortBy" | "sortOrder">;

export function usersQuery(view: UsersView) {
  return queryOptions({
    queryKey: [...USERS_KEY, "list", view] as const,
    queryFn: ({ signal }) =>
      call(listUsers, { query: { ...view, limit: DEFAULT_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

/** `listed` is the list's row, shown until the answer arrives. */
export function userQuery(id: UserId, listed: User | undefined) {
  return queryOptions({
    queryKey: [...USERS_KEY, "one", id] as const,
    queryFn: ({ signal }) => call(getUser, { params: { id }, signal }),
    ...(listed === undefined ? {} : { placeholderData: listed }),
    staleTime: 0,
  });
}
