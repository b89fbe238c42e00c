import type { Clock } from "#service/ports/clock.ts";

/**
 * Bounds the memory in which one process buffers request bodies. A body requests a buffer for each
 * part that it begins to fill; requests are served in order. While none is free the body is not
 * read, so that backpressure makes its sender wait.
 */
export type BodyMemory = {
  /** True while a body waits for a buffer. */
  isShort(): boolean;
  /** The buffers of one request. */
  open(): BodyBuffers;
};

export type BodyBuffers = {
  /** Resolves with null if no buffer became free in time, or `signal` aborted. */
  take(sizeBytes: number, signal: AbortSignal): Promise<Uint8Array | null>;
  /** Nothing may touch `buffer` afterwards. */
  give(buffer: Uint8Array): void;
  /** Whether the request has any buffer. */
  hasAny(): boolean;
  /** Call every few seconds; otherwise the request counts as dead and loses its buffers. */
  keep(): void;
  /** Returns all remaining buffers. */
  close(): void;
};

/** Shorter than the time that proxies wait for a server to continue reading (nginx: 60 s). */
const WAIT_MS = 10_000;

/** Buffers are polled for, because in a Worker one request cannot wake another. */
const ASK_EVERY_MS = 20;

/** The Workers runtime may end a request at any point without running its `finally` blocks. */
const DEAD_AFTER_MS = 60_000;

type Claim = { readonly sizeBytes: number; seenAtMs: number };

/** `limitBytes` has to hold the largest part, 32 MiB. */
export function createBodyMemory(clock: Clock, limitBytes: number): BodyMemory {
  let claims: Claim[] = [];

  /** Whether this claim and all earlier ones fit into the limit. */
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
        hasAny: () => held.size > 0,
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
