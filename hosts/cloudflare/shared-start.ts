import type { Clock } from "#service/ports/clock.ts";

/**
 * Shares the result of an asynchronous start among the requests of an isolate. The runtime may end
 * the request that started it, and then the promise never settles. The next request therefore
 * starts again after `withinMs`, or after a failure.
 */
export function createSharedStart<Result>(
  clock: Clock,
  withinMs: number,
): (start: () => Promise<Result>) => Promise<Result> {
  type Start = { readonly result: Promise<Result>; readonly atMs: number; isDone: boolean };
  let shared: Start | null = null;

  function isOfUse({ isDone, atMs }: Start): boolean {
    return isDone || clock.monotonic() - atMs < withinMs;
  }

  async function note(begun: Start): Promise<void> {
    try {
      await begun.result;
      begun.isDone = true;
    } catch {
      if (shared === begun) shared = null;
    }
  }

  return (start) => {
    if (shared !== null && isOfUse(shared)) return shared.result;
    const begun: Start = { result: start(), atMs: clock.monotonic(), isDone: false };
    shared = begun;
    void note(begun);
    return begun.result;
  };
}
