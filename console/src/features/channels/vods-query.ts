import { keepPreviousData } from "@tanstack/react-query";
import { listVods } from "#contract/channel-vods.ts";
import type { TwitchUserId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import type { ChannelSearch } from "./channel-search.ts";

/** What selects a channel's VODs, and their order. */
export function vodsView({ search, state, sort, order }: ChannelSearch) {
  return { search, state, sortBy: sort ?? "recordedAt", sortOrder: order ?? "desc" } as const;
}

export function vodsQuery(id: TwitchUserId, search: ChannelSearch) {
  const query = { ...vodsView(search), page: search.page ?? 1, limit: DEFAULT_PAGE_SIZE };
  return {
    ...callQuery(listVods, { params: { id }, query }),
    placeholderData: keepPreviousData,
    staleTime: JUST_ANSWERED_MS,
  };
}
