import type { UseQueryResult } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import type { PagedList } from "#contract/paging.ts";

export type SortOrder = "asc" | "desc";

/** Search parameters of lists; absent means the first page, no search and the list's own order. */
export type ListSearch = {
  readonly page?: number | undefined;
  readonly search?: string | undefined;
  readonly sort?: string | undefined;
  /** Absent means descending. */
  readonly order?: "asc" | undefined;
};

type Navigate<Search> = (options: {
  readonly search: (before: Search) => Search;
  readonly replace: boolean;
  readonly resetScroll: false;
}) => Promise<void>;

/** Turns to another page, relative to the last one requested. */
export type SetPage = (next: (from: number) => number) => void;

/** What the parts of a list screen need to know of it. */
export type List<Row> = {
  readonly query: Pick<
    UseQueryResult,
    "data" | "dataUpdatedAt" | "error" | "isError" | "isFetching" | "isPlaceholderData" | "refetch"
  >;
  /** Undefined until the first answer. */
  readonly facts: Omit<PagedList<Row>, "items"> | undefined;
  /** Undefined while there is nothing to show. */
  readonly rows: readonly Row[] | undefined;
  /** The page in the address; the answer may lag behind. */
  readonly page: number;
  readonly text: string;
  /** For a list whose number of rows can be chosen. */
  readonly pageSize?: { readonly value: number; readonly set: (size: number) => void };
  readonly sort: { readonly by: string; readonly order: SortOrder };
  readonly isFiltered: boolean;
  /** Filters, order and columns: with others, it shows other rows. */
  readonly view: Readonly<Record<string, unknown>>;
  readonly searchFor: (text: string) => void;
  readonly clear: () => void;
  readonly setPage: SetPage;
  readonly sortBy: (by: string, order: SortOrder) => void;
};

/** A list whose state is all in its address; `change` and `filter` write it. */
export function useList<Search extends ListSearch, Row>({
  search,
  navigate,
  query,
  data,
  filters,
  settleMs = 0,
  defaultSort = "",
  dialog,
}: {
  readonly search: Search;
  readonly navigate: Navigate<Search>;
  readonly query: List<Row>["query"];
  readonly data: PagedList<Row> | undefined;
  /** Parameters that choose rows. */
  readonly filters: readonly (keyof Search & string)[];
  /** Changes of filters are shown at once, and asked for together this long after the last one. */
  readonly settleMs?: number;
  /** The order of an address without `sort`. */
  readonly defaultSort?: string;
  /** The parameter that opens a dialog. */
  readonly dialog?: keyof Search & string;
}) {
  const { page = 1, sort, order } = search;
  const { change, filter: filterNow, setPage } = useListAddress(navigate);
  const [shown, filterLater] = useSettling(search, filters, settleMs, filterNow);
  const filter = settleMs === 0 ? filterNow : filterLater;
  const { history } = useRouter();
  const canGoBack = useRef(false);
  const isOpen = dialog !== undefined && search[dialog] !== undefined;
  useEffect(() => {
    if (!isOpen) canGoBack.current = true;
  }, [isOpen]);
  const isStandIn = query.isPlaceholderData && filters.every((name) => search[name] === undefined);
  const rows = useRowsOfPage(page, data, isStandIn, change);
  const searchFor = useCallback(
    (text: string) => filter({ search: text || undefined }, true),
    [filter],
  );
  return {
    query,
    facts: data,
    rows,
    page,
    text: shown.search ?? "",
    /** As shown; the address may lag behind. */
    shown,
    sort: { by: sort ?? defaultSort, order: order ?? "desc" },
    isFiltered: filters.some((name) => search[name] !== undefined || shown[name] !== undefined),
    view: { ...Object.fromEntries(filters.map((name) => [name, search[name]])), sort, order },
    change,
    filter,
    searchFor,
    clear: () => filter(Object.fromEntries(filters.map((name) => [name, undefined]))),
    /** Goes back if the dialog was opened here; otherwise the next press of Back would do nothing. */
    closeDialog: () => {
      if (canGoBack.current) history.back();
      else if (dialog !== undefined) change({ [dialog]: undefined }, true);
      canGoBack.current = false;
    },
    setPage,
    sortBy: (by: string, next: SortOrder) =>
      filterNow({
        sort: by === defaultSort ? undefined : by,
        order: next === "desc" ? undefined : next,
      }),
  } satisfies List<Row> & Record<string, unknown>;
}

/** Filters as shown, with a change that is applied later. Another address discards pending ones. */
function useSettling<Search extends ListSearch>(
  search: Search,
  filters: readonly (keyof Search & string)[],
  settleMs: number,
  apply: (next: Partial<Search> | ListSearch, replace: boolean) => void,
) {
  const address = JSON.stringify(filters.map((name) => search[name]));
  const [draft, setDraft] = useState<{ of: string; next: Partial<Search> | ListSearch }>();
  const next = draft?.of === address ? draft.next : undefined;
  useEffect(() => {
    if (next === undefined) return undefined;
    const timer = setTimeout(() => apply(next, true), settleMs);
    return () => clearTimeout(timer);
  }, [next, settleMs, apply]);
  const change = useCallback(
    (changed: Partial<Search> | ListSearch) =>
      setDraft((before) => ({
        of: address,
        next: { ...(before?.of === address ? before.next : {}), ...changed },
      })),
    [address],
  );
  return [next === undefined ? search : { ...search, ...next }, change] as const;
}

/** Changes a screen's search parameters; `replace` is for changes that Back should skip. */
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
  /** Turns from the page in the address, which is current even before the screen renders. */
  const setPage: SetPage = useCallback(
    (next) => {
      void navigate({
        search: (before) => ({ ...before, page: parameterOf(next(before.page ?? 1)) }),
        replace: false,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return { change, filter, setPage };
}

function parameterOf(page: number): number | undefined {
  return page === 1 ? undefined : page;
}

/**
 * A page's rows, undefined while there is nothing to show. A page that no longer exists, after
 * deletions or in an old address, redirects to the last one. Empty rows are not shown if the list
 * has others, or if they stand in for another query's, whose filters may differ.
 */
function useRowsOfPage<Row>(
  page: number,
  answer: PagedList<Row> | undefined,
  isStandIn: boolean,
  change: (next: ListSearch, replace: boolean) => void,
): readonly Row[] | undefined {
  const rows = answer?.items;
  const lastPage =
    answer === undefined ? page : Math.max(1, Math.ceil(answer.total / answer.limit));
  const isBeyond = rows?.length === 0 && answer?.page === page && page > lastPage;
  useEffect(() => {
    if (isBeyond) change({ page: parameterOf(lastPage) }, true);
  }, [isBeyond, lastPage, change]);
  const hasOthers = answer !== undefined && answer.total > 0;
  return rows?.length === 0 && (hasOthers || isStandIn) ? undefined : rows;
}
