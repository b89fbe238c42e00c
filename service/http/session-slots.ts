import { ApiError } from "#service/api-error.ts";
import type { Clock } from "#service/ports/clock.ts";

export type SessionSlots = {
  /**
   * Waits until the session has fewer than {@link MAX_IN_FLIGHT} requests in flight. Call the
   * returned function when this one ends.
   * @throws {ApiError} rate_limited when too many wait, or for too long
   */
  enter(sessionId: string): Promise<() => void>;
};

/** A browser's number of connections to one host over HTTP/1.1. */
const MAX_IN_FLIGHT = 6;

/** Concurrent requests of a console with many lists, over HTTP/2. */
const MAX_WAITING = 60;

/** Half the time that the console waits for an answer (docs/console.md#intervals). */
const MAX_WAIT_MS = 5_000;

const ASK_EVERY_MS = 25;

/** Cloudflare may end a request without notice; its slot is freed after this time. */
const MAX_HELD_MS = 60_000;

type Session = { readonly running: Set<Entry>; readonly waiting: Set<Entry> };
type Entry = { readonly atMs: number };

/**
 * Limits the concurrent requests of one session. Further ones wait by polling, because on
 * Cloudflare the request that could wake them may be gone. `factor` multiplies the limits.
 */
export function createSessionSlots(clock: Clock, factor: number): SessionSlots {
  const sessions = new Map<string, Session>();
  const maxInFlight = Math.max(1, Math.floor(MAX_IN_FLIGHT * factor));
  const maxWaiting = Math.max(1, Math.floor(MAX_WAITING * factor));

  function isFull({ running }: Session): boolean {
    return countSince(running, clock.monotonic() - MAX_HELD_MS) >= maxInFlight;
  }

  async function waitForRoom(session: Session): Promise<void> {
    const entry = { atMs: clock.monotonic() };
    if (countSince(session.waiting, entry.atMs - MAX_WAIT_MS) >= maxWaiting) throw tooMany();
    session.waiting.add(entry);
    try {
      while (isFull(session)) {
        if (clock.monotonic() - entry.atMs >= MAX_WAIT_MS) throw tooMany();
        await clock.sleep(ASK_EVERY_MS);
      }
    } finally {
      session.waiting.delete(entry);
    }
  }

  return {
    async enter(sessionId) {
      const session = sessions.get(sessionId) ?? { running: new Set(), waiting: new Set() };
      sessions.set(sessionId, session);
      if (isFull(session)) await waitForRoom(session);
      const entry = { atMs: clock.monotonic() };
      session.running.add(entry);
      return () => {
        session.running.delete(entry);
        if (session.running.size === 0 && session.waiting.size === 0) sessions.delete(sessionId);
      };
    },
  };
}

/** Drops entries older than `sinceMs` and returns the number of the others. */
function countSince(entries: Set<Entry>, sinceMs: number): number {
  for (const entry of entries) if (entry.atMs < sinceMs) entries.delete(entry);
  return entries.size;
}

function tooMany(): ApiError {
  return new ApiError("rate_limited", "Too many requests at once. Please wait a moment.", {
    retryAfterSec: 1,
  });
}
