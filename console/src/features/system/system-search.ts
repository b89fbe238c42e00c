import * as z from "zod/mini";
import { logLevelSchema } from "#contract/values.ts";
import { searchReader, textParam } from "#console/lib/search-params.ts";

/**
 * `view` is the status, `level` errors and `history` a day if absent; `search` has the service's
 * limit.
 */
export const readSystemSearch = searchReader({
  view: z.enum(["storage", "backups", "history"]),
  level: logLevelSchema,
  search: textParam(200),
  history: z.enum(["hour", "day", "week", "month"]),
});

export type SystemSearch = ReturnType<typeof readSystemSearch>;
