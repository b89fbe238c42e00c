import type { Service } from "#service/app.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { tokenOf } from "./signed-in-users.ts";
import type { Timeline } from "./timeline.ts";
import type { Trace } from "./trace.ts";

export const ORIGIN = "http://localhost:8787";

const PATIENCE_MS = 60_000;
const DAY_MS = 86_400_000;

type UserRequest = {
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends a user's request to any process; null without an answer. */
export type Send = (
  userId: string,
  method: string,
  path: string,
  init?: UserRequest,
) => Promise<Response | null>;

export function createUserRequests(parts: {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly database: Database;
  /** A process that answers requests; null if none is up. */
  readonly anyService: () => Service | null;
}): Send {
  const { timeline, trace, database, anyService } = parts;
  return async (userId, method, path, init = {}) => {
    const service = anyService();
    if (service === null) return null;
    const nowMs = timeline.now();
    // Keeps sessions from expiring; that is tested elsewhere.
    await database.run(sql`UPDATE sessions SET last_seen_at = ${nowMs},
      expires_at = ${nowMs + DAY_MS}, bearer_expires_at = ${nowMs + DAY_MS},
      revoked_at = NULL WHERE user_id IN (SELECT id FROM users WHERE banned_at IS NULL)`);
    const request = new Request(`${ORIGIN}${path}`, {
      method,
      ...init,
      headers: { origin: ORIGIN, authorization: `Bearer ${tokenOf(userId)}`, ...init.headers },
      ...(init.body === undefined ? {} : { duplex: "half" }),
    });
    const answer = await Promise.race([
      service.fetch(request, { clientAddress: "127.0.0.1" }),
      timeline.sleep(PATIENCE_MS).then(() => null),
    ]);
    trace.add(`user ${userId} ${method} ${path}: ${answer?.status ?? "no answer"}`);
    return answer;
  };
}
