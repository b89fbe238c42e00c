import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { AnyCall } from "#contract/call.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { call, type CallArguments } from "./api-client.ts";
import type { ViewOf } from "./api-request.ts";
import { JUST_ANSWERED_MS } from "./query-client.ts";

/**
 * What the cache keys of a call's answers begin with: its path. Invalidating a path, e.g.
 * `["uploads"]`, also invalidates what is below it.
 */
export function keyOf({ path }: Pick<AnyCall, "path">): readonly unknown[] {
  return path.split("/").slice(2);
}

/** A query of one call. */
export function callQuery<C extends AnyCall>(which: C, ...[input]: CallArguments<C>) {
  return queryOptions({
    queryKey: input === undefined ? keyOf(which) : [...keyOf(which), input],
    queryFn: ({ signal }) => {
      // Adding the signal keeps the input's type.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const given = [{ ...input, signal }] as CallArguments<C>;
      return call(which, ...given);
    },
  });
}

/** A query of one page of a list; the rows stay until those of another page or filter are there. */
export function pageQuery<C extends AnyCall>(which: C, view: ViewOf<C>, limit = DEFAULT_PAGE_SIZE) {
  // Lists need nothing but a query.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const input = [{ query: { ...view, limit } }] as unknown as CallArguments<C>;
  return {
    ...callQuery(which, ...input),
    placeholderData: keepPreviousData,
    staleTime: JUST_ANSWERED_MS,
  };
}
