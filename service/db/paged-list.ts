import type { PagedList } from "#contract/paging.ts";
import type { ListPage } from "./list-shape.ts";

/** Wraps one page's items into the answer of a list. */
export function pagedList<Item>(
  items: Item[],
  { total, totalIsCapped }: Pick<ListPage, "total" | "totalIsCapped">,
  { page, limit }: { page: number; limit: number },
): PagedList<Item> {
  return {
    items,
    total,
    ...(totalIsCapped ? { totalIsCapped } : {}),
    page,
    limit,
    hasPrev: page > 1,
    // Beyond a capped total, only a short page marks the end.
    hasNext: totalIsCapped ? items.length === limit : page * limit < total,
  };
}
