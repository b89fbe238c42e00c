import { exportAudit, verifyAudit } from "#contract/audit.ts";
import type { AnyCall } from "#contract/call.ts";
import { ApiError } from "#service/api-error.ts";
import type { Clock } from "#service/ports/clock.ts";

/** Calls that read the whole audit log: only one at a time, across all users. */
const SOLE_CALLS: ReadonlySet<AnyCall> = new Set<AnyCall>([exportAudit, verifyAudit]);

export type SoleRun = {
  /**
   * Begins a call; call the returned function when it ends. Null when the call is not exclusive.
   * @throws {ApiError} rate_limited while another one runs
   */
  enter(call: AnyCall): (() => void) | null;
};

/** By then a stalled reader has been cut off, and a request that Cloudflare ended is gone. */
const MAX_HELD_MS = 120_000;

export function createSoleRun(clock: Clock): SoleRun {
  let running: { readonly atMs: number } | null = null;

  return {
    enter(call) {
      if (!SOLE_CALLS.has(call)) return null;
      if (running !== null && clock.monotonic() - running.atMs < MAX_HELD_MS)
        throw new ApiError(
          "rate_limited",
          "The audit log is being verified or exported. Please try again in a moment.",
          { retryAfterSec: 5 },
        );
      const own = { atMs: clock.monotonic() };
      running = own;
      return () => {
        if (running === own) running = null;
      };
    },
  };
}

/** The same answer; calls `onEnd` once when its body is read, fails or is cancelled. */
export function withBodyEnd(response: Response, onEnd: () => void): Response {
  if (response.body === null) {
    onEnd();
    return response;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void response.body.pipeTo(writable).then(onEnd, onEnd);
  return new Response(readable, response);
}
