import { MAX_SEARCH_LENGTH } from "#contract/limits.ts";
import { readPage, readText, type RawSearch } from "#console/lib/search-params.ts";

export type FilesSearch = {
  readonly page?: number | undefined;
  readonly search?: string | undefined;
};

export function readFilesSearch(search: RawSearch): FilesSearch {
  return {
    page: readPage(search["page"]),
    search: readText(search["search"], MAX_SEARCH_LENGTH),
  };
}
