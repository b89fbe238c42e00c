import type { PagedList } from "#contract/paging.ts";
import type { ListPage } from "./list-shape.ts";

/** The answer's frame around one page's items. */
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
    // Beyond a capped total only a short page tells the end.
    hasNext: totalIsCapped ? items.length === limit : page * limit < total,
  };
}
