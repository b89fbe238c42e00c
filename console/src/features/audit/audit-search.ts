import * as z from "zod/mini";
import { userIdSchema } from "#contract/ids.ts";
import { LIST_PARAMS, searchReader, textParam } from "#console/lib/search-params.ts";

const { page, search, hide } = LIST_PARAMS;

export const readAuditSearch = searchReader({
  page,
  search,
  action: textParam(60),
  /** Who acted. */
  actor: userIdSchema,
  result: z.enum(["done", "refused"]),
  hide,
  /** The entry whose details are open. */
  entry: textParam(20),
});

export type AuditSearch = ReturnType<typeof readAuditSearch>;
