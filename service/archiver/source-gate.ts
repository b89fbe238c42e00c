import type { Clock } from "#service/ports/clock.ts";
import type { Random } from "#service/ports/random.ts";
import { TryLater } from "./run-end.ts";

/**
 * Keeps one archive a good guest of its source. After a failure nothing is asked until a delay has
 * passed (full jitter, doubling; at least the Retry-After that the source gave), then one request
 * alone probes, and only its success lets the others on. Enough failures in a row end the run, so
 * that the upload waits without holding a connection or a place.
 */
export type SourceGate = {
  /** Resolves when a request may start. @throws the signal's reason */
  enter(signal: AbortSignal): Promise<GateTicket>;
  succeeded(ticket: GateTicket): void;
  /** The request ended without telling how the source is, e.g. nothing came at all. */
  undecided(ticket: GateTicket): void;
  /** @throws {TryLater} when waiting any longer is for the upload and not for this run */
  failed(ticket: GateTicket, message: string, retryAfterMs: number | null): void;
};

/** Which round a request belongs to: six that fail together are one failure, not six. */
export type GateTicket = number;

const FIRST_DELAY_MS = 500;

/** Also the longest Retry-After that a run sits out itself; longer ones release the lease. */
const MAX_DELAY_MS = 30_000;

/** Delays add up to about half a minute by then: longer than a burst of a CDN's errors. */
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
      if ((retryAfterMs ?? 0) > MAX_DELAY_MS || failuresInARow >= MAX_FAILURES_IN_A_ROW) {
        throw new TryLater("source", message, { retryAfterMs });
      }
      const ceilingMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failuresInARow);
      const delayMs = Math.max(retryAfterMs ?? 0, jitter(random) * ceilingMs);
      closedUntilMs = Math.max(closedUntilMs, clock.monotonic() + delayMs);
    },
  };
}

/** Evenly spread from 0 to 1: retries of many runners must not fall into step. */
export function jitter(random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return (high * 256 + low) / 65_535;
}
