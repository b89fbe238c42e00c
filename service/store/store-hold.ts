import type { ServiceContext } from "#service/context.ts";
import { isAway, StoreError, type StoreErrorKind } from "#service/ports/object-store.ts";
import { probeStore } from "./store-probe.ts";

/**
 * Holds the queue of this process while the store does not work or is not ours, so that no archive starts that
 * would only fail, and nothing is fetched that cannot be stored. The store is probed until it works
 * again.
 */
export type StoreHold = {
  /** A sentence that says why archives have to wait; null if they need not. */
  readonly reason: string | null;
  /** True while the store has not answered, or not as ours, since the start. */
  readonly isUnopened: boolean;
  /**
   * Probes the store before anything else uses it. If it cannot be used, archives are held.
   * @throws {StoreError} `denied`, `foreign` or `invalid`, which waiting does not fix
   */
  open(): Promise<void>;
  /** Call when a run stops because of the store. */
  hold(reason: string): void;
  /** Call every few seconds: probes the store when due. Returns whether the hold has just ended. */
  hasEnded(): Promise<boolean>;
};

/**
 * The store is probed after five seconds, then with doubling delays. The delay also doubles after a
 * short recovery, because the probe may succeed while archives fail.
 */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 60_000;

/** After this long without a problem the delay starts again at its minimum. */
const CALM_MS = 10 * 60_000;

/** What a start reports, because only an operator can fix it. */
const FOR_OPERATORS: ReadonlySet<StoreErrorKind> = new Set(["denied", "foreign", "invalid"]);

/** How long the start waits for a store that does not answer. */
const OPEN_WITHIN_MS = 10_000;

export function createStoreHold(context: ServiceContext): StoreHold {
  const { clock, objects } = context.platform;
  let reason: string | null = null;
  let isUnopened = false;
  let waitMs = FIRST_WAIT_MS;
  let askAtMs = 0;
  let endedAtMs = -Infinity;

  function hold(problem: string): void {
    const isFirst = reason === null;
    reason = problem;
    if (!isFirst) return;
    const nowMs = clock.monotonic();
    waitMs = nowMs - endedAtMs > CALM_MS ? FIRST_WAIT_MS : Math.min(waitMs * 2, LONGEST_WAIT_MS);
    askAtMs = nowMs + waitMs;
  }

  return {
    get reason() {
      return reason;
    },
    get isUnopened() {
      return isUnopened;
    },
    async open() {
      const answered = new AbortController();
      const silence = clock.sleep(OPEN_WITHIN_MS, answered.signal).then(() => {
        throw new StoreError("unavailable", `No response within ${OPEN_WITHIN_MS / 1_000} s`);
      });
      try {
        await Promise.race([probeStore(context), silence]);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (FOR_OPERATORS.has(error.kind)) throw error;
        isUnopened = isAway(error);
        context.log.warn("The object store cannot be used yet", { store: objects.name, error });
        hold(`The store is not available: ${error.message}`);
      } finally {
        answered.abort();
        silence.catch(() => undefined);
      }
    },
    hold,
    async hasEnded() {
      if (reason === null || clock.monotonic() < askAtMs) return false;
      // Prevents a concurrent probe.
      askAtMs = Infinity;
      try {
        await probeStore(context);
      } catch (error) {
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
        askAtMs = clock.monotonic() + waitMs;
        if (!(error instanceof StoreError)) throw error;
        context.log.warn("The object store cannot be used", { store: objects.name, error });
        return false;
      }
      reason = null;
      isUnopened = false;
      endedAtMs = clock.monotonic();
      context.log.info("The object store works again", { store: objects.name });
      return true;
    },
  };
}
