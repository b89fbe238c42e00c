import type { AuditChain } from "./audit/audit-chain.ts";
import { auditEntry } from "./changes/audit-entry.ts";
import type { ServiceContext } from "./context.ts";
import { sql } from "./db/sql.ts";
import type { Statement } from "./ports/database.ts";
import { pruneHistory } from "#service/history/history-samples.ts";
import { pruneLogs } from "./system/log-store.ts";

/*
 * Rows that nobody needs any more, and for how long they are kept. What a person threw away is kept by
 * trash/retention-run.ts.
 */

const DAY_MS = 86_400_000;

/** For investigating incidents. */
const ENDED_SESSION_DAYS = 1;
/** Expired API tokens stay on their owner's list, which explains why a program no longer works. */
const EXPIRED_TOKEN_DAYS = 30;
/** With their deliveries. */
const EVENT_DAYS = 90;
/** Long enough to look back at what was done in a year; the rest still verifies without them. */
const AUDIT_DAYS = 365;
/** Addresses tell where a person was: only as long as an incident is looked into. */
const AUDIT_ADDRESS_DAYS = 30;

/** Call each hour, by a trusted clock. */
export async function pruneRows(
  { platform: { database } }: Pick<ServiceContext, "platform">,
  chain: Pick<AuditChain, "prune">,
  nowMs: number,
): Promise<void> {
  await pruneLogs(database, nowMs);
  await pruneHistory(database, nowMs);
  await database.batch(removeOldRows(nowMs));
  const removed = await chain.prune(nowMs - AUDIT_DAYS * DAY_MS);
  if (removed > 0)
    await database.run(
      auditEntry({
        atMs: nowMs,
        actorId: null,
        action: "audit.prune",
        after: { removed, retentionDays: AUDIT_DAYS },
      }),
    );
}

export function removeOldRows(nowMs: number): readonly Statement[] {
  const daysAgo = (days: number) => nowMs - days * DAY_MS;
  return [
    sql`DELETE FROM sessions WHERE expires_at < ${daysAgo(ENDED_SESSION_DAYS)}`,
    sql`DELETE FROM api_tokens WHERE expires_at < ${daysAgo(EXPIRED_TOKEN_DAYS)}`,
    sql`DELETE FROM single_uses WHERE expires_at < ${nowMs}`,
    sql`DELETE FROM notification_events
      WHERE created_at < ${daysAgo(EVENT_DAYS)} AND dispatched_at IS NOT NULL`,
    sql`DELETE FROM refusal_counts WHERE minute_at < ${daysAgo(AUDIT_ADDRESS_DAYS)}`,
    // The entries stay and still verify, because addresses are not sealed.
    sql`UPDATE audit SET address = NULL WHERE address IS NOT NULL AND at < ${daysAgo(AUDIT_ADDRESS_DAYS)}`,
  ];
}
