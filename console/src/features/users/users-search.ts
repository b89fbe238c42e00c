import { MAX_SEARCH_LENGTH } from "#contract/limits.ts";
import { readPage, readText, type RawSearch } from "#console/lib/search-params.ts";

export type UsersSearch = {
  readonly page?: number | undefined;
  readonly search?: string | undefined;
};

export function readUsersSearch(search: RawSearch): UsersSearch {
  return {
    page: readPage(search["page"]),
    search: readText(search["search"], MAX_SEARCH_LENGTH),
  };
}
