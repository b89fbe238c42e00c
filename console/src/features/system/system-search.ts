import { LOG_LEVELS, type LogLevel } from "#contract/system.ts";
import { readChoice, readText, type RawSearch } from "#console/lib/search-params.ts";

/** Search parameters of the System screen; absent means the default. */
export type SystemSearch = {
  /** Log level; errors by default. */
  readonly level?: LogLevel | undefined;
  readonly search?: string | undefined;
};

/** The service's limit. */
const MAX_LOG_SEARCH_LENGTH = 200;

export function readSystemSearch(search: RawSearch): SystemSearch {
  return {
    level: readChoice(search["level"], LOG_LEVELS),
    search: readText(search["search"], MAX_LOG_SEARCH_LENGTH),
  };
}
