import type { Clock } from "#service/ports/clock.ts";

/**
 * Shares Helix's points (800 a minute per application, one per request) between people, who wait for
 * an answer at the console, and the background, which follows channels. People never wait. The
 * background has two limits:
 *
 * - Of its own: 270 requests a minute, of which up to 30 may come at once, so at most 300 in any
 *   minute. The first minute begins with none at once: however often a process starts, the limit
 *   holds. Requests for people count, too.
 * - Twitch's: other hosts, or another deployment with the same application, may spend as well. Below
 *   five eighths of the points, which every answer states, the background waits until they are
 *   refilled, for less than a minute.
 */
export type RequestBudget = { readonly people: RequestLane; readonly background: RequestLane };

export type RequestLane = {
  /** Resolves when the request may be sent. @throws the reason of `signal` when it aborts */
  enter(signal?: AbortSignal): Promise<void>;
  /** Takes note of the points left, as an answer's headers state them. */
  hear(headers: Headers): void;
};

const PER_MINUTE = 270;
const AT_ONCE = 30;
const MINUTE_MS = 60_000;

/** The share of Twitch's points that the background leaves to others. */
const RESERVED_SHARE = 5 / 8;

export function createRequestBudget(clock: Clock): RequestBudget {
  let points = 0;
  let refilledMs = clock.monotonic();
  let heldUntilMs = refilledMs;

  function refill(): number {
    const nowMs = clock.monotonic();
    points = Math.min(AT_ONCE, points + ((nowMs - refilledMs) / MINUTE_MS) * PER_MINUTE);
    refilledMs = nowMs;
    return nowMs;
  }

  function hear(headers: Headers): void {
    const limit = readCount(headers.get("ratelimit-limit"));
    const remaining = readCount(headers.get("ratelimit-remaining"));
    if (limit === null || limit === 0 || remaining === null) return;
    const missing = Math.max(0, limit * RESERVED_SHARE - remaining);
    heldUntilMs = clock.monotonic() + (missing / limit) * MINUTE_MS;
  }

  return {
    people: {
      async enter() {
        refill();
        points = Math.max(points - 1, -PER_MINUTE);
      },
      hear,
    },
    background: {
      async enter(signal) {
        for (;;) {
          const nowMs = refill();
          const refillMs = ((1 - points) / PER_MINUTE) * MINUTE_MS;
          const waitMs = Math.ceil(Math.max(refillMs, heldUntilMs - nowMs));
          if (waitMs <= 0) break;
          await clock.sleep(waitMs, signal);
          signal?.throwIfAborted();
        }
        points -= 1;
      },
      hear,
    },
  };
}

/** For checks that make a few requests on demand. */
export const UNCOUNTED: RequestLane = { enter: async () => {}, hear() {} };

function readCount(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
