import type { Clock } from "#service/ports/clock.ts";

/**
 * The memory in which one process collects the bytes of request bodies. Bodies ask for a buffer for
 * each part that they begin to fill, and get it in the order in which they asked; while none is
 * free they are not read, so their senders wait.
 */
export type BodyMemory = {
  /** True while a body waits for a buffer. */
  isShort(): boolean;
  /** The buffers of one request. */
  open(): BodyBuffers;
};

export type BodyBuffers = {
  /** Null when none became free in time, or `signal` aborted. */
  take(sizeBytes: number, signal: AbortSignal): Promise<Uint8Array | null>;
  /** Nothing may touch `buffer` afterwards. */
  give(buffer: Uint8Array): void;
  /** Whether any is taken. */
  holds(): boolean;
  /** Call every few seconds, or the buffers count as those of a request that is dead. */
  keep(): void;
  /** Gives back all that are left. */
  close(): void;
};

/** Shorter than proxies wait for a server to read on (nginx: 60 s). */
const WAIT_MS = 10_000;

/** A buffer may have been given back by another request, which in a Worker can wake nobody. */
const ASK_EVERY_MS = 20;

/** The runtime of a Worker can end a request at any point, without running what gives back. */
const DEAD_AFTER_MS = 60_000;

type Claim = { readonly sizeBytes: number; seenAtMs: number };

/** `limitBytes` has to hold the largest part, 32 MiB. */
export function createBodyMemory(clock: Clock, limitBytes: number): BodyMemory {
  let claims: Claim[] = [];

  /** All claims before it and its own fit. */
  function isGranted(claim: Claim): boolean {
    let bytes = 0;
    for (const each of claims) {
      bytes += each.sizeBytes;
      if (each === claim) return bytes <= limitBytes;
    }
    return false;
  }

  function drop(claim: Claim): void {
    claims = claims.filter((each) => each !== claim);
  }

  async function ask(sizeBytes: number, signal: AbortSignal): Promise<Claim | null> {
    const startedMs = clock.monotonic();
    const mine: Claim = { sizeBytes, seenAtMs: startedMs };
    claims.push(mine);
    while (!isGranted(mine)) {
      await clock.sleep(ASK_EVERY_MS, signal);
      const nowMs = clock.monotonic();
      mine.seenAtMs = nowMs;
      claims = claims.filter(({ seenAtMs }) => nowMs - seenAtMs < DEAD_AFTER_MS);
      if (!signal.aborted && nowMs - startedMs < WAIT_MS) continue;
      drop(mine);
      return null;
    }
    return mine;
  }

  return {
    isShort() {
      const last = claims.at(-1);
      return last !== undefined && !isGranted(last);
    },
    open() {
      const held = new Map<Uint8Array, Claim>();

      function give(buffer: Uint8Array): void {
        const mine = held.get(buffer);
        held.delete(buffer);
        if (mine !== undefined) drop(mine);
      }

      return {
        async take(sizeBytes, signal) {
          const granted = await ask(sizeBytes, signal);
          if (granted === null) return null;
          const buffer = new Uint8Array(sizeBytes);
          held.set(buffer, granted);
          return buffer;
        },
        give,
        holds: () => held.size > 0,
        keep() {
          for (const mine of held.values()) mine.seenAtMs = clock.monotonic();
        },
        close() {
          for (const buffer of held.keys()) give(buffer);
        },
      };
    },
  };
}
