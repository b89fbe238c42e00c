import * as z from "zod/mini";
import type { UserId } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import { toHex } from "#service/secrets/hex.ts";

/**
 * Enough to set up a channel; too few to spam anyone through the bot (docs/security.md#messages).
 */
const TESTS_PER_MINUTE = 5;
const WINDOW_MS = 60_000;

/**
 * Counts one test message of this user across all processes. The count and the insert are one
 * statement, so concurrent tests cannot exceed the limit.
 *
 * @throws {ApiError} `rate_limited` with the time until the next one is allowed.
 */
export async function takeTest(
  { platform, settings }: Pick<ServiceContext, "platform" | "settings">,
  userId: UserId,
): Promise<void> {
  const nowMs = platform.clock.now();
  const limit = Math.max(1, Math.floor(TESTS_PER_MINUTE * settings.RATE_LIMIT_FACTOR));
  const sentByUser = sql`single_uses WHERE kind = 'test_message' AND owner = ${userId}`;
  const [, taken, oldest] = await platform.database.batch([
    // Also deletes rows from the far future, left by a clock that was set back. Those a little ahead
    // are of a process with another clock, or of a test that began later and was counted earlier.
    sql`DELETE FROM single_uses WHERE kind = 'test_message'
      AND (expires_at <= ${nowMs} OR expires_at > ${nowMs + 2 * WINDOW_MS})`,
    sql`INSERT INTO single_uses (kind, value, owner, expires_at)
      SELECT 'test_message', ${toHex(platform.random.bytes(8))}, ${userId}, ${nowMs + WINDOW_MS}
      WHERE (SELECT count(*) FROM ${sentByUser}) < ${limit}`,
    sql`SELECT min(expires_at) AS at FROM ${sentByUser}`,
  ]);
  if (taken?.changes === 1) return;
  const freeAt = z.object({ at: z.number() }).parse(oldest?.rows[0]).at;
  throw new ApiError(
    "rate_limited",
    `At most ${limit} test messages a minute can be sent. Please wait a moment.`,
    { retryAfterSec: Math.max(1, Math.ceil((freeAt - nowMs) / 1_000)) },
  );
}
