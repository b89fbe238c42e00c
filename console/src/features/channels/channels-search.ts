import * as z from "zod/mini";
import type { QueryOf } from "#contract/call.ts";
import type { listChannels } from "#contract/channels.ts";
import { LIST_PARAMS, searchReader, textParam } from "#console/lib/search-params.ts";

const { page, search, order } = LIST_PARAMS;

type Query = QueryOf<typeof listChannels>;

/** Not the contract's lists: their file is for these screens alone, and this one for every visit. */
const STATES = ["live", "danger", "lost", "trouble", "paused"] as const satisfies readonly Exclude<
  Query["state"],
  undefined
>[];
const SORTS = [
  "name",
  "lastVodAt",
  "dangerAt",
  "size",
  "checkedAt",
] as const satisfies readonly Query["sortBy"][];

export const readChannelsSearch = searchReader({
  page,
  search,
  state: z.enum(STATES),
  /** The newest VOD if it is absent. */
  sort: z.enum(SORTS),
  order,
  /** Opens the dialog for new channels: "new", or the name to start with. */
  add: textParam(500),
});

export type ChannelsSearch = ReturnType<typeof readChannelsSearch>;
