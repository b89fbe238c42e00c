import { createStore } from "@tanstack/react-store";
import type { UploadId } from "#contract/ids.ts";
import { askBeforeLeaving } from "./ask-before-leaving.ts";
import type { unsentFiles } from "./transfers.ts";

/**
 * A file that this browser sends or saves. It is **queued** while others run, **running** until all of
 * it is there, **waiting** while the server is unreachable or the browser has to finish, **paused** by
 * the user; **done**, **failed** and **cancelled** are final.
 */
export type Transfer = {
  readonly key: string;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly doneBytes: number;
  readonly phase: "queued" | "running" | "waiting" | "paused" | "done" | "failed" | "cancelled";
  /** Why it failed or waits. */
  readonly error: string | null;
  /** Of a sent file, once the server has all bytes. */
  readonly uploadId: UploadId | null;
};

/**
 * Transfers live outside the screens, so that navigation stops nothing; closing the page asks first.
 * `start` begins a queued one when there is a place.
 */
export function createTransferQueue(
  mostAtOnce: () => number,
  summary: typeof unsentFiles,
  start: (transfer: Transfer) => void,
  /** Nothing else begins in the place of one that waits. */
  waitsInPlace = true,
) {
  const store = createStore<readonly Transfer[]>([]);
  // A listener of its own: another queue's stays.
  const ask = (event: BeforeUnloadEvent) => {
    if (summary.state.isRunning) askBeforeLeaving(event);
  };

  function isRunning(key: string): boolean {
    const phase = store.state.find((each) => each.key === key)?.phase;
    return phase === "queued" || phase === "running" || phase === "waiting";
  }
  function set(next: readonly Transfer[]): void {
    store.setState(() => next);
    const isAnyRunning = next.some(({ key }) => isRunning(key));
    if (isAnyRunning) addEventListener("beforeunload", ask);
    else removeEventListener("beforeunload", ask);
    const open = next.filter(({ phase }) => phase !== "done" && phase !== "cancelled");
    const doneBytes = open.reduce((sum, each) => sum + each.doneBytes, 0);
    const sizeBytes = open.reduce((sum, each) => sum + each.sizeBytes, 0);
    const percent = Math.floor((doneBytes / Math.max(1, sizeBytes)) * 100);
    summary.setState(() => ({ count: open.length, percent, isRunning: isAnyRunning }));
    fillPlace();
  }
  function change(key: string, next: Partial<Transfer>): void {
    set(store.state.map((each) => (each.key === key ? { ...each, ...next } : each)));
  }
  /** Begins the next queued one if there is a place. Each change of the list comes here again. */
  function fillPlace(): void {
    const running = store.state.filter(
      ({ phase }) => phase === "running" || (waitsInPlace && phase === "waiting"),
    );
    const next = store.state.find(({ phase }) => phase === "queued");
    if (next === undefined || running.length >= mostAtOnce()) return;
    change(next.key, { phase: "running", error: null });
    start(next);
  }
  return {
    store,
    isRunning,
    change,
    /** Adds a file as the last, in place of one with its key. */
    add: ({ key, filename, sizeBytes }: Pick<Transfer, "key" | "filename" | "sizeBytes">) => {
      const phase = "queued" as const;
      const fresh = { doneBytes: 0, phase, error: null, uploadId: null };
      const others = store.state.filter((each) => each.key !== key);
      set([...others, { key, filename, sizeBytes, ...fresh }]);
    },
    remove: (key: string) => set(store.state.filter((each) => each.key !== key)),
  };
}
