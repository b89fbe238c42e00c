import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { errorResponse } from "#service/http/error-response.ts";
import { isDiskFull } from "#service/space/disk-space.ts";
import { describeDatabaseFault, tryWriting } from "./database-room.ts";
import { readHealth, type ProbeResults } from "./health-store.ts";
import { COMPONENTS, PARTS } from "./parts.ts";

export const READINESS_PATH = "/readyz";

/** The address is public, and each check writes a row, which D1 bills. */
const CHECK_EVERY_MS = 5_000;

/** Load balancers time out after a few seconds. */
const TIMEOUT_MS = 2_000;

/** `health` is null while the database cannot be read. */
type Answer = { readonly fault: string | null; readonly health: ProbeResults | null };

/**
 * Whether calls can be answered now: 200, or 503 while the database cannot be written, the disk is
 * full, or the object store is unhealthy or has not answered since the start. `/healthz` only
 * reports that the process runs, because a restart would not fix these. `?verbose` adds the status
 * of each part; the reasons are for administrators only.
 */
export function createReadiness(
  context: Pick<ServiceContext, "platform" | "settings">,
  isStoreUnopened: () => boolean,
): (request: Request) => Promise<Response> {
  const { clock, database, runtime } = context.platform;
  let latest: { readonly atMs: number; readonly answer: Promise<Answer> } | null = null;

  async function check(): Promise<Answer> {
    const fault = await findFault();
    if (fault !== null) return { fault, health: null };
    const health = await readHealth(database, runtime.startedAt, clock.now());
    const isStoreAway = health.r2Storage.status === "unhealthy";
    return { fault: isStoreAway ? "The object store cannot be used." : null, health };
  }

  /** The reason why the database cannot be used, as a sentence; null when it can. */
  async function findFault(): Promise<string | null> {
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

  return async (request) => {
    const nowMs = clock.monotonic();
    if (latest === null || nowMs - latest.atMs >= CHECK_EVERY_MS)
      latest = { atMs: nowMs, answer: check() };
    const { health, ...checked } = await latest.answer;
    const fault = isStoreUnopened()
      ? "The object store could not be used since the service started."
      : checked.fault;
    const isVerbose = new URL(request.url).searchParams.has("verbose");
    const details = isVerbose ? { details: statusesOf(health) } : {};
    return fault === null
      ? Response.json({ status: "ready", ...details })
      : errorResponse(new ApiError("unavailable", fault, { retryAfterSec: 5, ...details }));
  };
}

function statusesOf(health: ProbeResults | null): Record<string, string> {
  const statuses = COMPONENTS.map(
    (part) => [PARTS[part].label, health?.[part].status ?? "unknown"] as const,
  );
  return Object.fromEntries(statuses);
}
