import type { Clock } from "#service/ports/clock.ts";
import type { Random } from "#service/ports/random.ts";
import { backoffMs } from "#service/jobs/backoff.ts";
import { TryLater } from "#service/storage/run-end.ts";

/**
 * Limits the requests of one archive while its source fails. After a failure no request starts
 * until a delay has passed (doubling, at least the source's Retry-After). Then one
 * request probes, and only its success admits the others. After enough failures in a row the run
 * ends, so that the upload waits without holding a connection or a slot.
 */
type SourceGate = {
  /** Resolves when a request may start. @throws the signal's reason */
  enter(signal: AbortSignal): Promise<GateTicket>;
  succeeded(ticket: GateTicket): void;
  /** The request ended without showing whether the source works, e.g. with a timeout. */
  undecided(ticket: GateTicket): void;
  /** @throws {TryLater} when the run should end and the upload wait */
  failed(ticket: GateTicket, message: string, retryAfterMs: number | null): void;
};

/** The round of a request: six requests that fail in one round count as one failure. */
type GateTicket = number;

/** The longest delay is also the longest Retry-After that a run waits for; a longer one releases the lease. */
const BACKOFF = { firstDelayMs: 600, longestDelayMs: 30_000 };

/** Delays add up to about half a minute on average, longer than a burst of CDN errors. */
const MAX_FAILURES_IN_A_ROW = 7;

export function createSourceGate(clock: Clock, random: Random): SourceGate {
  let round = 0;
  let failuresInARow = 0;
  let closedUntilMs = 0;
  let isProbing = false;
  let waiters: (() => void)[] = [];

  function wakeWaiters(): void {
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
  }

  return {
    async enter(signal) {
      for (;;) {
        signal.throwIfAborted();
        const waitMs = closedUntilMs - clock.monotonic();
        if (failuresInARow === 0) return round;
        if (waitMs > 0) {
          await clock.sleep(waitMs, signal);
        } else if (isProbing) {
          await new Promise<void>((resolve) => {
            waiters.push(resolve);
            signal.addEventListener("abort", () => resolve(), { once: true });
          });
        } else {
          isProbing = true;
          return round;
        }
      }
    },
    succeeded(ticket) {
      if (ticket !== round) return;
      failuresInARow = 0;
      isProbing = false;
      wakeWaiters();
    },
    undecided(ticket) {
      if (ticket !== round) return;
      isProbing = false;
      wakeWaiters();
    },
    failed(ticket, message, retryAfterMs) {
      if (ticket === round) {
        round += 1;
        failuresInARow += 1;
        isProbing = false;
        wakeWaiters();
      }
      if ((retryAfterMs ?? 0) > BACKOFF.longestDelayMs || failuresInARow >= MAX_FAILURES_IN_A_ROW) {
        throw new TryLater("source", message, { retryAfterMs });
      }
      const delayMs = backoffMs(BACKOFF, failuresInARow, random, retryAfterMs);
      closedUntilMs = Math.max(closedUntilMs, clock.monotonic() + delayMs);
    },
  };
}
