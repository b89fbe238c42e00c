import { isGap, type FetchedUnit, type UnitFetch } from "./unit-fetch.ts";
import type { UnitBody } from "./unit-body.ts";

export type DeliveredUnit = { readonly index: number; readonly fetched: FetchedUnit };

export type FetchAhead = {
  /** The next unit in order. @throws what fetching it threw */
  next(): Promise<DeliveredUnit>;
  /** Frees the budget of the last delivered unit. Call when its bytes are no longer needed. */
  release(): void;
  /** Aborts the running fetches and returns their buffers to the pool. */
  close(): Promise<void>;
};

export type FetchAheadDeps = {
  readonly from: number;
  readonly to: number;
  /** Units without bytes are delivered without being fetched. */
  readonly isEmpty: (index: number) => boolean;
  readonly expectedBytes: (index: number) => number;
  readonly fetch: UnitFetch;
  readonly giveBack: (body: UnitBody) => void;
  readonly connections: number;
  /** Current memory limit for units. */
  readonly budgetBytes: () => number;
};

type Slot = {
  readonly index: number;
  sizeBytes: number;
  readonly result: Promise<FetchedUnit>;
};

/** Small units wait for a slow one in front of them; more of them would only take memory. */
const MAX_SLOTS_PER_CONNECTION = 2;

/**
 * Fetches units ahead, in order, over a few connections and within a memory budget. A unit that is
 * larger than the budget is fetched alone, because it would otherwise block forever. Starts with one
 * connection and opens another with each success, so that a source that is down gets one request
 * instead of six.
 */
export function createFetchAhead(deps: FetchAheadDeps, signal: AbortSignal): FetchAhead {
  const closing = new AbortController();
  const bothSignals = AbortSignal.any([signal, closing.signal]);
  const slots: Slot[] = [];
  let nextToStart = deps.from;
  let nextToDeliver = deps.from;
  let active = 0;
  let window = 1;
  let heldBytes = 0;
  let delivered: Slot | null = null;

  function mayStart(): boolean {
    if (nextToStart >= deps.to || closing.signal.aborted) return false;
    if (heldBytes === 0) return true;
    if (slots.length >= MAX_SLOTS_PER_CONNECTION * deps.connections) return false;
    return active < window && heldBytes + deps.expectedBytes(nextToStart) <= deps.budgetBytes();
  }

  function pump(): void {
    while (mayStart()) {
      const index = nextToStart;
      nextToStart += 1;
      if (deps.isEmpty(index)) {
        slots.push({ index, sizeBytes: 0, result: Promise.resolve("missing") });
      } else {
        slots.push(start(index));
      }
    }
  }

  function start(index: number): Slot {
    active += 1;
    let slot: Slot | null = null;
    const hold = (sizeBytes: number) => {
      if (slot === null) return;
      heldBytes += sizeBytes - slot.sizeBytes;
      slot.sizeBytes = sizeBytes;
    };
    const result = deps.fetch(index, bothSignals, hold).then(
      (fetched) => {
        active -= 1;
        window = Math.min(deps.connections, window + 1);
        hold(isGap(fetched) ? 0 : fetched.bytes.byteLength);
        pump();
        return fetched;
      },
      (error: unknown) => {
        active -= 1;
        throw error;
      },
    );
    // next() or close() handles the error later; until then it must not count as unhandled.
    result.catch(() => undefined);
    slot = { index, sizeBytes: deps.expectedBytes(index), result };
    heldBytes += slot.sizeBytes;
    return slot;
  }

  return {
    async next() {
      pump();
      const slot = slots[0];
      if (slot === undefined) throw new Error(`There is no unit ${nextToDeliver}`);
      const fetched = await slot.result;
      slots.shift();
      nextToDeliver += 1;
      delivered = slot;
      pump();
      return { index: slot.index, fetched };
    },
    release() {
      if (delivered === null) return;
      heldBytes -= delivered.sizeBytes;
      delivered = null;
      pump();
    },
    async close() {
      closing.abort(new Error("No longer needed"));
      for (const slot of slots.splice(0)) {
        const fetched = await slot.result.catch(() => "missing" as const);
        if (!isGap(fetched)) deps.giveBack(fetched);
      }
    },
  };
}
