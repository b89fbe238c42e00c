import type { Platform } from "#service/platform.ts";
import type { BodyBuffers, BodyMemory } from "./body-memory.ts";

/** A sender that takes longer than `STEP_MS` for `STEP_BYTES` counts as gone. */
const STEP_BYTES = 64 * 1024;
const STEP_MS = 30_000;

/** Replaces `STEP_MS` while other requests wait for memory that this one holds. */
const HURRIED_STEP_MS = 2_000;

const CHECK_EVERY_MS = 1_000;

type Reading = {
  readonly stream: ReadableStream<Uint8Array>;
  readonly memory: BodyMemory;
  /** The buffers of this request. */
  readonly buffers: BodyBuffers;
  readonly signal: AbortSignal;
  /** Resolves with whether there was memory for the chunk. */
  readonly accept: (chunk: Uint8Array) => Promise<boolean>;
};

/**
 * Reads a body until it ends or is interrupted, `signal` aborts, its sender is too slow, or the
 * host's maximum run time is over. Time spent in `accept` does not count towards the sender's.
 */
export async function readBody(
  { clock, runtime }: Platform,
  { stream, memory, buffers, signal, accept }: Reading,
): Promise<"whole" | "cut" | "no memory"> {
  const reader = stream.getReader();
  const ended = new AbortController();
  const startedMs = clock.monotonic();
  let stepSinceMs = startedMs;
  let stepBytes = 0;
  let isAccepting = false;
  let isStopped = false;

  function stop(): void {
    isStopped = true;
    reader.cancel().catch(() => undefined);
  }

  async function watch(): Promise<void> {
    for (;;) {
      await clock.sleep(CHECK_EVERY_MS, ended.signal);
      if (ended.signal.aborted) return;
      buffers.keep();
      const nowMs = clock.monotonic();
      const stepMs = memory.isShort() && buffers.hasAny() ? HURRIED_STEP_MS : STEP_MS;
      const isLate = !isAccepting && nowMs - stepSinceMs >= stepMs;
      if (isLate || nowMs - startedMs >= runtime.longestRunMs) stop();
    }
  }

  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  void watch();
  try {
    for (;;) {
      const read = await reader.read().catch(() => null);
      if (read === null || isStopped) return "cut";
      if (read.done) return "whole";
      const acceptedFromMs = clock.monotonic();
      isAccepting = true;
      if (!(await accept(read.value))) return "no memory";
      isAccepting = false;
      const nowMs = clock.monotonic();
      stepBytes += read.value.byteLength;
      stepSinceMs = stepBytes >= STEP_BYTES ? nowMs : stepSinceMs + nowMs - acceptedFromMs;
      if (stepBytes >= STEP_BYTES) stepBytes = 0;
    }
  } finally {
    ended.abort();
    signal.removeEventListener("abort", stop);
    reader.cancel().catch(() => undefined);
  }
}
