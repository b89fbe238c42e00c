import type { PagedList } from "../paging.ts";

/** The only page of a list. */
export function buildPage<Item>(items: readonly Item[]): PagedList<Item> {
  return {
    items: [...items],
    total: items.length,
    page: 1,
    limit: 20,
    hasPrev: false,
    hasNext: false,
  };
}
