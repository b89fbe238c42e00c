import { userIdSchema, type UserId } from "#contract/ids.ts";
import { MAX_SEARCH_LENGTH } from "#contract/limits.ts";
import {
  readChoice,
  readHide,
  readPage,
  readText,
  type RawSearch,
} from "#console/lib/search-params.ts";

/** Search parameters of the Users screen; absent means the default. */
export type UsersSearch = {
  readonly page?: number | undefined;
  readonly search?: string | undefined;
  readonly role?: "admin" | "user" | undefined;
  readonly sort?: "name" | undefined;
  /** Present only when it differs from the sort's default. */
  readonly order?: "reversed" | undefined;
  /** Hidden columns, e.g. `size,started`. */
  readonly hide?: string | undefined;
  /** The user whose details are open. */
  readonly user?: UserId | undefined;
};

export function readUsersSearch(search: RawSearch): UsersSearch {
  return {
    page: readPage(search["page"]),
    search: readText(search["search"], MAX_SEARCH_LENGTH),
    role: readChoice(search["role"], ["admin", "user"]),
    sort: readChoice(search["sort"], ["name"]),
    order: readChoice(search["order"], ["reversed"]),
    hide: readHide(search["hide"]),
    user: userIdSchema.safeParse(search["user"]).data,
  };
}
