import { logLevelSchema } from "#contract/system.ts";
import { searchReader, textParam } from "#console/lib/search-params.ts";

/** `level` is errors if it is absent; `search` has the service's limit. */
export const readSystemSearch = searchReader({ level: logLevelSchema, search: textParam(200) });

export type SystemSearch = ReturnType<typeof readSystemSearch>;
