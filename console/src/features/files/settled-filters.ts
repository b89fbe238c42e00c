import { useCallback, useEffect, useState } from "react";
import { sameFilters, type FileFilters } from "./files-search.ts";

/** The page is reset to 1 this long after a filter changes (docs/console.md#pages). */
const SETTLE_MS = 300;

/**
 * Shows filter changes at once and debounces the request: several changes in a row cause one,
 * together with the reset to page 1. A navigation such as Back discards pending changes.
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
