import { useSyncExternalStore } from "react";

/**
 * Number of files that this browser still has to send. Separate from manual-upload.ts, which loads
 * only when there is something to send.
 */
let count = 0;
const listeners = new Set<() => void>();

export function setUnsentFiles(next: number): void {
  count = next;
  for (const listener of listeners) listener();
}

export function useUnsentFiles(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => count,
  );
}
