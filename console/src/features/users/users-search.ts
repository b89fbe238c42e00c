import * as z from "zod/mini";
import { userIdSchema } from "#contract/ids.ts";
import { LIST_PARAMS, searchReader } from "#console/lib/search-params.ts";

const { page, search, order } = LIST_PARAMS;

export const readUsersSearch = searchReader({
  page,
  search,
  role: z.enum(["admin", "user", "banned"]),
  /** The last login if it is absent. */
  sort: z.literal("name"),
  order,
  /** The user whose details are open. */
  user: userIdSchema,
});

export type UsersSearch = ReturnType<typeof readUsersSearch>;
