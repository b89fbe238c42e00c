import { readText, type RawSearch } from "#console/lib/search-params.ts";

const MAX_LENGTH = 512;

type CallbackSearch = {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
};

export function readCallbackSearch(search: RawSearch): CallbackSearch {
  return {
    code: readText(search["code"], MAX_LENGTH),
    state: readText(search["state"], MAX_LENGTH),
    error: readText(search["error"], MAX_LENGTH),
  };
}
