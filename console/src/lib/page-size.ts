import { createStore, useSelector } from "@tanstack/react-store";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { siteStore } from "./browser-storage.ts";

export const PAGE_SIZES = [DEFAULT_PAGE_SIZE, 50, 100] as const;

const KEY = "page_size";

const store = createStore(PAGE_SIZES.find((size) => String(size) === siteStore.getItem(KEY)));

/** Rows of a page as chosen in this browser; undefined for the default. */
export const pageSize = () => store.state;

export function usePageSize() {
  const value = useSelector(store) ?? DEFAULT_PAGE_SIZE;
  function set(size: number): void {
    siteStore.setItem(KEY, String(size));
    store.setState(() => PAGE_SIZES.find((known) => known === size));
  }
  return { value, set };
}
