import { useCallback, useEffect } from "react";

type Navigate<Search> = (options: {
  readonly search: (before: Search) => Search;
  readonly replace: boolean;
  readonly resetScroll: false;
}) => Promise<void>;

/** What every list keeps in its address; absent means the first page and no search. */
type ListSearch = { readonly page?: number | undefined; readonly search?: string | undefined };

/**
 * Changes a list's address, which is where all of its state lives. `replace` is for changes that
 * going back should skip.
 */
export function useListAddress<Search extends ListSearch>(navigate: Navigate<Search>) {
  const change = useCallback(
    (next: Partial<Search> | ListSearch, replace = false) => {
      void navigate({ search: (before) => ({ ...before, ...next }), replace, resetScroll: false });
    },
    [navigate],
  );
  /** Another filter is another list: it begins on its first page (docs/console.md#pages). */
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
  /** The address knows of each press before the screen has heard of it. */
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
 * A page's rows, undefined while there is nothing to show yet. A page that does not exist any more,
 * after deletions or in an old address, leads to the last one and shows nothing until then. Nor does
 * it when the rows are none of a list that has some, or stand in for those that are on their way.
 */
export function useRowsOfPage<Row>(
  page: number,
  answer: PageAnswer | undefined,
  rows: readonly Row[] | undefined,
  goTo: (page: number, replace: boolean) => void,
  /** The rows answer another question, asked with filters, of which this one knows nothing. */
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
