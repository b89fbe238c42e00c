import type { Clock } from "#service/ports/clock.ts";

/**
 * What one request of an isolate begins and all wait for. The runtime may end that request, and with
 * it what it had begun, which then is never done: after `withinMs` the next request begins anew. So
 * it does after a failure.
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
