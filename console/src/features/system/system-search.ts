import { LOG_LEVELS, type LogLevel } from "#contract/system.ts";
import { readChoice, readText, type RawSearch } from "#console/lib/search-params.ts";

/** What the System screen keeps in its address. Absent means the default. */
export type SystemSearch = {
  /** The logs' level; errors by default. */
  readonly level?: LogLevel | undefined;
  readonly search?: string | undefined;
};

/** As long as the service takes. */
const MAX_LOG_SEARCH_LENGTH = 200;

export function readSystemSearch(search: RawSearch): SystemSearch {
  return {
    level: readChoice(search["level"], LOG_LEVELS),
    search: readText(search["search"], MAX_LOG_SEARCH_LENGTH),
  };
}
