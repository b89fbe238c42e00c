import type { Clock } from "#service/ports/clock.ts";

/**
 * Bounds the memory in which one process buffers request bodies. A body requests a buffer for each
 * part that it begins to fill; requests are served in order, but a user's slow bodies cannot take
 * all of it from others. While none is free the body is not read, so that backpressure makes its
 * sender wait.
 */
export type BodyMemory = {
  /** True while a body waits for a buffer. */
  isShort(): boolean;
  /** The buffers of one request of a user. */
  open(userId: string): BodyBuffers;
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
const POLL_EVERY_MS = 20;

/** The Workers runtime may end a request at any point without running its `finally` blocks. */
const DEAD_AFTER_MS = 60_000;

/** A user may hold one buffer of any size, or several within this share of the limit. */
const USER_SHARE = 2 / 3;

type Claim = {
  readonly userId: string;
  readonly sizeBytes: number;
  seenAtMs: number;
  isGranted: boolean;
};

/** `limitBytes` has to hold the largest part, 32 MiB. */
export function createBodyMemory(clock: Clock, limitBytes: number): BodyMemory {
  let claims: Claim[] = [];

  /** Grants a claim if it is the first that may have more memory, and fits into the limit. */
  function tryGrant(claim: Claim): void {
    const grantedBytes = new Map<string, number>();
    let bytes = claim.sizeBytes;
    for (const { userId, sizeBytes, isGranted } of claims) {
      if (!isGranted) continue;
      bytes += sizeBytes;
      grantedBytes.set(userId, (grantedBytes.get(userId) ?? 0) + sizeBytes);
    }
    const next = claims.find(({ userId, sizeBytes, isGranted }) => {
      if (isGranted) return false;
      const ownBytes = grantedBytes.get(userId) ?? 0;
      return ownBytes === 0 || ownBytes + sizeBytes <= USER_SHARE * limitBytes;
    });
    claim.isGranted = next === claim && bytes <= limitBytes;
  }

  function drop(claim: Claim): void {
    claims = claims.filter((each) => each !== claim);
  }

  async function awaitGrant(
    userId: string,
    sizeBytes: number,
    signal: AbortSignal,
  ): Promise<Claim | null> {
    const startedMs = clock.monotonic();
    const claim: Claim = { userId, sizeBytes, seenAtMs: startedMs, isGranted: false };
    claims.push(claim);
    for (;;) {
      tryGrant(claim);
      if (claim.isGranted) return claim;
      await clock.sleep(POLL_EVERY_MS, signal);
      const nowMs = clock.monotonic();
      claim.seenAtMs = nowMs;
      claims = claims.filter(({ seenAtMs }) => nowMs - seenAtMs < DEAD_AFTER_MS);
      if (!signal.aborted && nowMs - startedMs < WAIT_MS) continue;
      drop(claim);
      return null;
    }
  }

  return {
    isShort: () => claims.some((each) => !each.isGranted),
    open(userId) {
      const held = new Map<Uint8Array, Claim>();

      function give(buffer: Uint8Array): void {
        const claim = held.get(buffer);
        held.delete(buffer);
        if (claim !== undefined) drop(claim);
      }

      return {
        async take(sizeBytes, signal) {
          const claim = await awaitGrant(userId, sizeBytes, signal);
          if (claim === null) return null;
          const buffer = new Uint8Array(sizeBytes);
          held.set(buffer, claim);
          return buffer;
        },
        give,
        hasAny: () => held.size > 0,
        keep() {
          for (const claim of held.values()) claim.seenAtMs = clock.monotonic();
        },
        close() {
          for (const buffer of held.keys()) give(buffer);
        },
      };
    },
  };
}
