import { serverNowMs } from "./server-clock.ts";
import { useSyncExternalStore } from "react";

/**
 * One shared timer for all relative times of the console. It stops while nothing reads it or the
 * page is hidden, and ticks at once when the page is shown.
 */
let nowMs = serverNowMs();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  if (document.hidden) return;
  nowMs = serverNowMs();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    nowMs = serverNowMs();
    timer = setInterval(tick, 1_000);
    document.addEventListener("visibilitychange", tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
      timer = undefined;
    }
  };
}

/**
 * The current time, rounded down to steps: components render again only when their step changes.
 */
export function useNow(stepMs: number = 1_000): number {
  return useSyncExternalStore(subscribe, () => Math.floor(nowMs / stepMs) * stepMs);
}
