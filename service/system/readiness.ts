import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { Failure } from "#service/failure.ts";
import { errorResponse } from "#service/http/error-response.ts";

export const READINESS_PATH = "/readyz";

/** Anybody may ask, so the database is asked at most this often. */
const ASK_EVERY_MS = 1_000;

/** Load balancers give up after a few seconds themselves. */
const TIMEOUT_MS = 2_000;

/**
 * Whether calls can be answered now: 200, or 503 while the database does not answer, or while the
 * object store has not answered since the start. `/healthz` beside it says that the process lives,
 * which a restart would not improve.
 */
export function createReadiness(
  { platform }: Pick<ServiceContext, "platform">,
  isStoreUnopened: () => boolean,
): (request: Request) => Promise<Response> {
  const { clock, database } = platform;
  let asked: { readonly atMs: number; readonly isReady: Promise<boolean> } | null = null;

  async function ask(): Promise<boolean> {
    const answered = new AbortController();
    try {
      return await Promise.race([
        database.all(sql`SELECT 1 AS one FROM counters LIMIT 1`).then(() => true),
        clock.sleep(TIMEOUT_MS, answered.signal).then(() => false),
      ]);
    } catch {
      return false;
    } finally {
      answered.abort();
    }
  }

  return async (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      const refusal = errorResponse(
        new Failure("method_not_allowed", "This address does not take that kind of request."),
      );
      refusal.headers.set("allow", "GET, HEAD");
      return refusal;
    }
    const nowMs = clock.monotonic();
    if (asked === null || nowMs - asked.atMs >= ASK_EVERY_MS)
      asked = { atMs: nowMs, isReady: ask() };
    let trouble: string | null = null;
    if (!(await asked.isReady)) trouble = "The database does not answer.";
    else if (isStoreUnopened()) trouble = "The object store has not answered since the start.";
    const response =
      trouble === null
        ? new Response('{"status":"ready"}', { headers: { "content-type": "application/json" } })
        : errorResponse(new Failure("unavailable", trouble, { retryAfterSec: 5 }));
    return request.method === "HEAD" ? new Response(null, response) : response;
  };
}
