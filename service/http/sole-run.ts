import { exportAudit, verifyAudit } from "#contract/audit.ts";
import type { AnyCall } from "#contract/call.ts";
import { ApiError } from "#service/api-error.ts";
import type { Clock } from "#service/ports/clock.ts";

/** Calls that read the whole audit log: only one at a time, across all users. */
const SOLE_CALLS: ReadonlySet<AnyCall> = new Set<AnyCall>([exportAudit, verifyAudit]);

/**
 * Runs a call; an exclusive one lasts until the body of its answer is read, fails or is cancelled.
 * @throws {ApiError} rate_limited while another exclusive call runs
 */
export type SoleRun = (call: AnyCall, run: () => Promise<unknown>) => Promise<unknown>;

/** By then a stalled reader has been cut off, and a request that Cloudflare ended is gone. */
const MAX_HELD_MS = 120_000;

export function createSoleRun(clock: Clock): SoleRun {
  let running: { readonly atMs: number } | null = null;

  return async (call, run) => {
    if (!SOLE_CALLS.has(call)) return await run();
    if (running !== null && clock.monotonic() - running.atMs < MAX_HELD_MS)
      throw new ApiError(
        "rate_limited",
        "The audit log is being verified or exported. Please try again in a moment.",
        { retryAfterSec: 5 },
      );
    const own = { atMs: clock.monotonic() };
    running = own;
    const end = () => {
      if (running === own) running = null;
    };
    try {
      const data = await run();
      if (data instanceof Response && data.body !== null) {
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        void data.body.pipeTo(writable).then(end, end);
        return new Response(readable, data);
      }
      end();
      return data;
    } catch (error) {
      end();
      throw error;
    }
  };
}
