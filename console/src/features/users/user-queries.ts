import type { UserId } from "#contract/ids.ts";
import { getUser, type User } from "#contract/users.ts";
import { callQuery } from "#console/lib/call-query.ts";

/** `listed` is the list's row, shown until the answer arrives. */
export function userQuery(id: UserId, listed: User | undefined) {
  return {
    ...callQuery(getUser, { params: { id } }),
    ...(listed === undefined ? {} : { placeholderData: listed }),
    staleTime: 0,
  };
}
