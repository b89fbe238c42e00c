import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { errorResponse } from "#service/http/error-response.ts";
import { isDiskFull } from "#service/space/disk-space.ts";
import { describeDatabaseFault, tryWriting } from "./database-room.ts";

export const READINESS_PATH = "/readyz";

/** The address is public, and each check writes a row, which D1 bills. */
const CHECK_EVERY_MS = 5_000;

/** Load balancers time out after a few seconds. */
const TIMEOUT_MS = 2_000;

/**
 * Whether calls can be answered now: 200, or 503 while the database cannot be written, the disk is
 * full, or the object store has not answered since the start. `/healthz` only reports that the
 * process runs, because a restart would not fix these.
 */
export function createReadiness(
  context: Pick<ServiceContext, "platform" | "settings">,
  isStoreUnopened: () => boolean,
): () => Promise<Response> {
  const { clock, database } = context.platform;
  let latest: { readonly atMs: number; readonly fault: Promise<string | null> } | null = null;

  /** The reason why it is not ready, as a sentence; null when it is. */
  async function check(): Promise<string | null> {
    const answered = new AbortController();
    try {
      // The database's log may still have room on a full disk, so the disk is checked as well.
      if (await isDiskFull(context)) return "The disk is full.";
      return await Promise.race([
        tryWriting(database).then(() => null),
        clock.sleep(TIMEOUT_MS, answered.signal).then(() => describeDatabaseFault(null)),
      ]);
    } catch (error) {
      return describeDatabaseFault(error);
    } finally {
      answered.abort();
    }
  }

  return async () => {
    const nowMs = clock.monotonic();
    if (latest === null || nowMs - latest.atMs >= CHECK_EVERY_MS)
      latest = { atMs: nowMs, fault: check() };
    let fault = await latest.fault;
    if (fault === null && isStoreUnopened())
      fault = "The object store has not responded since the service started.";
    return fault === null
      ? new Response('{"status":"ready"}', { headers: { "content-type": "application/json" } })
      : errorResponse(new ApiError("unavailable", fault, { retryAfterSec: 5 }));
  };
}
