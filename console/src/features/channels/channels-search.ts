import * as z from "zod/mini";
import { CHANNEL_SORTS, CHANNEL_STATES } from "#contract/channels.ts";
import { LIST_PARAMS, searchReader, textParam } from "#console/lib/search-params.ts";

const { page, search, order, hide } = LIST_PARAMS;

export const readChannelsSearch = searchReader({
  page,
  search,
  state: z.enum(CHANNEL_STATES),
  /** The newest VOD if it is absent. */
  sort: z.enum(CHANNEL_SORTS),
  order,
  hide,
  /** Opens the dialog for new channels: "new", or the name to start with. */
  add: textParam(500),
});

export type ChannelsSearch = ReturnType<typeof readChannelsSearch>;
