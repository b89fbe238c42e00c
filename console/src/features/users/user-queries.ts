import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { UserId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { getUser, listUsers, type User } from "#contract/users.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import { call } from "#console/lib/api-client.ts";
import type { ViewOf } from "#console/lib/api-request.ts";
import { userKeys } from "#console/lib/query-keys.ts";

/** docs/console.md#intervals */
export const USERS_POLL_MS = 30_000;

export function usersQuery(view: ViewOf<typeof listUsers>) {
  return queryOptions({
    queryKey: userKeys.list(view),
    queryFn: ({ signal }) =>
      call(listUsers, { query: { ...view, limit: DEFAULT_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: JUST_ANSWERED_MS,
  });
}

/** `listed` is the list's row, shown until the answer arrives. */
export function userQuery(id: UserId, listed: User | undefined) {
  return queryOptions({
    queryKey: userKeys.one(id),
    queryFn: ({ signal }) => call(getUser, { params: { id }, signal }),
    ...(listed === undefined ? {} : { placeholderData: listed }),
    staleTime: 0,
  });
}
