import * as z from "zod/mini";
import type { UserId } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";

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
  const [, taken, oldest] = await platform.database.batch([
    // Also deletes rows from the future, left by a clock that was set back.
    sql`DELETE FROM notification_tests WHERE at <= ${nowMs - WINDOW_MS} OR at > ${nowMs}`,
    sql`INSERT INTO notification_tests (user_id, at)
        SELECT ${userId}, ${nowMs}
        WHERE (SELECT count(*) FROM notification_tests WHERE user_id = ${userId}) < ${limit}`,
    sql`SELECT min(at) AS at FROM notification_tests WHERE user_id = ${userId}`,
  ]);
  if (taken?.changes === 1) return;
  const oldestAt = z.object({ at: z.number() }).parse(oldest?.rows[0]).at;
  throw new ApiError(
    "rate_limited",
    `At most ${limit} test messages a minute can be sent. Please wait a moment.`,
    { retryAfterSec: Math.max(1, Math.ceil((oldestAt + WINDOW_MS - nowMs) / 1_000)) },
  );
}
