import * as z from "zod/mini";
import { logLevelSchema } from "#contract/values.ts";
import { searchReader, textParam } from "#console/lib/search-params.ts";

/** `level` is errors and `history` a day if absent; `search` has the service's limit. */
export const readSystemSearch = searchReader({
  level: logLevelSchema,
  search: textParam(200),
  history: z.enum(["hour", "day", "week", "month"]),
});

export type SystemSearch = ReturnType<typeof readSystemSearch>;
