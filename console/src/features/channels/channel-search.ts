import * as z from "zod/mini";
import type { VodState } from "#contract/channel-vods.ts";
import { LIST_PARAMS, searchReader } from "#console/lib/search-params.ts";

const { page, search, order } = LIST_PARAMS;

/** Not the contract's list: its file is for the channel's page alone, and this one for every visit. */
const STATES = [
  "stored",
  "copying",
  "queued",
  "failed",
  "wanted",
  "left_out",
  "gone",
  "lost",
] as const satisfies readonly VodState[];

export const readChannelSearch = searchReader({
  page,
  search,
  state: z.enum(STATES),
  /** The broadcast if it is absent. */
  sort: z.enum(["dangerAt", "duration"]),
  order,
});

export type ChannelSearch = ReturnType<typeof readChannelSearch>;
