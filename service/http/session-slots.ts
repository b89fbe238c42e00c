import { Failure } from "#service/failure.ts";
import type { Clock } from "#service/ports/clock.ts";

export type SessionSlots = {
  /**
   * Waits until fewer than {@link MAX_IN_FLIGHT} requests of the session are answered; what it
   * resolves to ends this one.
   * @throws {Failure} rate_limited when too many wait, or for too long
   */
  enter(sessionId: string): Promise<() => void>;
};

/** As many as a browser has connections to one host over HTTP/1.1. */
const MAX_IN_FLIGHT = 6;

/** What a console with many lists asks for at once, over HTTP/2. */
const MAX_WAITING = 60;

/** Half of what the console waits for an answer (docs/console.md#intervals). */
const MAX_WAIT_MS = 5_000;

const ASK_EVERY_MS = 25;

/** Cloudflare may end a request without a word: its slot is free by then. */
const MAX_HELD_MS = 60_000;

type Session = { readonly running: Set<Entry>; readonly waiting: Set<Entry> };
type Entry = { readonly atMs: number };

/**
 * How many requests of one session are answered at the same time. Those beyond wait for their turn,
 * and ask for it themselves: on Cloudflare the request that could wake them may be gone. `factor`
 * multiplies the numbers.
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

/** Forgets older entries. */
function countSince(entries: Set<Entry>, sinceMs: number): number {
  for (const entry of entries) if (entry.atMs < sinceMs) entries.delete(entry);
  return entries.size;
}

function tooMany(): Failure {
  return new Failure("rate_limited", "Too many requests at once. Please wait a moment.", {
    retryAfterSec: 1,
  });
}
