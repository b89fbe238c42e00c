import { useCallback, useEffect, useState } from "react";
import { sameFilters, type FileFilters } from "./files-search.ts";

/** The page is 1 again this long after a filter changed (docs/console.md#pages). */
const SETTLE_MS = 300;

/**
 * Filters show at once and settle together: one request for several changes in a row, made when
 * the page goes back to 1. A change of the address, as by going back, wins over what has not
 * settled.
 */
export function useSettledFilters(
  settled: FileFilters,
  onSettle: (filters: FileFilters) => void,
): { readonly shown: FileFilters; readonly change: (next: FileFilters) => void } {
  const [draft, setDraft] = useState<FileFilters | null>(null);
  const [known, setKnown] = useState(settled);
  if (!sameFilters(known, settled)) {
    setKnown(settled);
    setDraft(null);
  }
  useEffect(() => {
    if (draft === null || sameFilters(draft, known)) return undefined;
    const timer = setTimeout(() => onSettle(draft), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [draft, known, onSettle]);
  const change = useCallback(
    (next: FileFilters) => setDraft((before) => ({ ...(before ?? known), ...next })),
    [known],
  );
  return { shown: draft ?? settled, change };
}
