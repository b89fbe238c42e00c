import type { Clock } from "#service/ports/clock.ts";
import type { Random } from "#service/ports/random.ts";
import { jitter } from "#service/jitter.ts";

/**
 * A unit with wrong bytes is fetched at most this often. Short delays first, because most faults of
 * an edge server are over within seconds; nine bodies take 191 to 286 s.
 */
const MAX_WRONG_BODIES = 9;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 64_000;

/** Equal wrong bodies are what the source has if they came this often and for this long. */
const EQUAL_BODIES = 3;
const DAMAGE_LASTS_MS = 180_000;

/**
 * How long one run waits for damaged units in their turn, all together, and again at the end. Later
 * damaged units are fetched three times without a delay. So a VOD of which most segments are damaged
 * ends within minutes, and a run keeps within the time that hosts allow.
 */
const MAX_WAIT_MS = 360_000;

/**
 * What the wrong bodies of one unit show so far:
 * - `unclear`: fetch it again;
 * - `lasting`: the source has these bytes and no others;
 * - `changing`: the bodies still differ after the last attempt.
 */
export type Damage = "unclear" | "lasting" | "changing";

type WrongBodies = {
  readonly count: number;
  /** Notes a body by what identifies it, e.g. its digest. */
  add(identity: string): Damage;
  /** Waits before the next attempt. */
  wait(signal: AbortSignal): Promise<void>;
};

/**
 * Creates the wrong bodies of units of one run, which share {@link MAX_WAIT_MS}.
 */
export function createDamageWait(clock: Clock, random: Random): () => WrongBodies {
  let leftMs = MAX_WAIT_MS;
  let untilMs = -Infinity;

  /** Units that wait at the same time count once. */
  async function sleep(ms: number, signal: AbortSignal): Promise<void> {
    const nowMs = clock.monotonic();
    const fromMs = Math.max(nowMs, untilMs);
    const grantedMs = Math.min(leftMs, Math.max(0, nowMs + ms - fromMs));
    leftMs -= grantedMs;
    untilMs = fromMs + grantedMs;
    await clock.sleep(Math.max(0, Math.min(ms, untilMs - nowMs)), signal);
  }

  return () => {
    let last: string | null = null;
    let equal = 0;
    let equalSinceMs = 0;
    let count = 0;
    return {
      get count() {
        return count;
      },
      add(identity) {
        const nowMs = clock.monotonic();
        if (identity !== last) {
          last = identity;
          equal = 0;
          equalSinceMs = nowMs;
        }
        equal += 1;
        count += 1;
        const isLong = nowMs - equalSinceMs >= DAMAGE_LASTS_MS || leftMs <= 0;
        if (equal >= EQUAL_BODIES && isLong) return "lasting";
        return count >= MAX_WRONG_BODIES ? "changing" : "unclear";
      },
      async wait(signal) {
        const ms = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 1));
        await sleep(ms * (1 + jitter(random) / 2), signal);
      },
    };
  };
}
