import { useCallback, useEffect } from "react";

type Navigate<Search> = (options: {
  readonly search: (before: Search) => Search;
  readonly replace: boolean;
  readonly resetScroll: false;
}) => Promise<void>;

/** Search parameters of every list; absent means the first page and no search. */
type ListSearch = { readonly page?: number | undefined; readonly search?: string | undefined };

/**
 * Changes a list's address, which holds all of its state. `replace` is for changes that Back should
 * skip.
 */
export function useListAddress<Search extends ListSearch>(navigate: Navigate<Search>) {
  const change = useCallback(
    (next: Partial<Search> | ListSearch, replace = false) => {
      void navigate({ search: (before) => ({ ...before, ...next }), replace, resetScroll: false });
    },
    [navigate],
  );
  /** A changed filter leads to the first page (docs/console.md#pages). */
  const filter = useCallback(
    (next: Partial<Search> | ListSearch, replace = false) =>
      change({ ...next, page: undefined }, replace),
    [change],
  );
  const searchFor = useCallback(
    (text: string) => filter({ search: text || undefined }, true),
    [filter],
  );
  const goTo = useCallback(
    (page: number, replace = false) => change({ page: page === 1 ? undefined : page }, replace),
    [change],
  );
  /** Turns from the page in the address, which is current even before the screen renders. */
  const turn = useCallback(
    (next: (from: number) => number) => {
      void navigate({
        search: (before) => {
          const page = next(before.page ?? 1);
          return { ...before, page: page === 1 ? undefined : page };
        },
        replace: false,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return { change, filter, searchFor, goTo, turn };
}

type PageAnswer = { readonly page: number; readonly limit: number; readonly total: number };

/**
 * A page's rows, undefined while there is nothing to show. A page that no longer exists, after
 * deletions or in an old address, redirects to the last one. Empty rows are not shown if the list
 * has others, or if they are placeholders for pending ones.
 */
export function useRowsOfPage<Row>(
  page: number,
  answer: PageAnswer | undefined,
  rows: readonly Row[] | undefined,
  goTo: (page: number, replace: boolean) => void,
  /** The rows belong to another query, whose filters may differ. */
  isStandIn: boolean = false,
): readonly Row[] | undefined {
  const lastPage =
    answer === undefined ? page : Math.max(1, Math.ceil(answer.total / answer.limit));
  const isBeyond = rows?.length === 0 && answer?.page === page && page > lastPage;
  useEffect(() => {
    if (isBeyond) goTo(lastPage, true);
  }, [isBeyond, lastPage, goTo]);
  const hasOthers = answer !== undefined && answer.total > 0;
  return rows?.length === 0 && (hasOthers || isStandIn) ? undefined : rows;
}
