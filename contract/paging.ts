import * as z from "zod/mini";
import { DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_PAGE_SIZE, MAX_SEARCH_LENGTH } from "./limits.ts";
import { integerParameter } from "./values.ts";

export const pageParameter = integerParameter(1, MAX_PAGE, 1);
export const limitParameter = integerParameter(1, MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE);
export const searchParameter = z.optional(z.string().check(z.maxLength(MAX_SEARCH_LENGTH)));

/**
 * One page of a list. `total` is exact unless `totalIsCapped` is true: then there are more matches,
 * and `total` is the number at which counting stopped.
 */
export function pagedListSchema<Item extends z.core.$ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    total: z.int().check(z.nonnegative()),
    totalIsCapped: z.optional(z.boolean()),
    page: z.int().check(z.minimum(1)),
    limit: z.int().check(z.minimum(1)),
    hasPrev: z.boolean(),
    hasNext: z.boolean(),
  });
}

export type PagedList<Item> = {
  items: Item[];
  total: number;
  totalIsCapped?: boolean | undefined;
  page: number;
  limit: number;
  hasPrev: boolean;
  hasNext: boolean;
};
