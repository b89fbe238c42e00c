import { useSyncExternalStore } from "react";

/**
 * How many files this browser still has to send. Apart from what sends them (manual-upload.ts),
 * which is loaded only when there is something to send.
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
