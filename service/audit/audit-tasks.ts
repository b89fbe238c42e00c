import type { ServiceContext } from "#service/context.ts";
import { LOOK_EVERY_MS, type PendingWork } from "#service/db/pending-work.ts";
import { sql } from "#service/db/sql.ts";
import type { ClockTrust } from "#service/clock-trust.ts";
import type { Database } from "#service/ports/database.ts";
import type { AuditChain } from "./audit-chain.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import type { RefusalCounts } from "./refusal-counts.ts";

const UNSEALED_ENTRY = sql`SELECT 1 WHERE (SELECT max(seq) FROM audit)
  > coalesce((SELECT seq FROM audit_marks WHERE name = 'head'), 0)`;

/** A process that dies loses at most this much counting. */
const COUNT_EVERY_MS = 5_000;

/**
 * The newest seal is also logged to standard output, where nobody with database access can change
 * it.
 */
const TELL_EVERY_MS = 3_600_000;

const PRUNE_EVERY_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;

export function scheduleAuditTasks(
  { platform, settings, log }: ServiceContext,
  pending: PendingWork,
  clockTrust: ClockTrust,
  chain: AuditChain,
  refusals: RefusalCounts,
): void {
  const { scheduler, database } = platform;
  const seal = pending.when(UNSEALED_ENTRY, async () => void (await chain.seal()));
  scheduler.every(LOOK_EVERY_MS, "audit seals", seal);
  scheduler.every(COUNT_EVERY_MS, "refusal counts", () => refusals.flush());
  scheduler.every(TELL_EVERY_MS, "audit head", async () => {
    const head = await chain.head();
    // Split into groups, because log redaction would mask a run of hex digits this long.
    if (head !== null)
      log.info("The audit log's newest seal", {
        entry: head.seq,
        seal: head.hash.match(/.{1,16}/g)?.join(" "),
      });
  });
  scheduler.every(PRUNE_EVERY_MS, "audit retention", () =>
    clockTrust.ifTrusted(async (nowMs) => {
      await removeOldAddresses(database, nowMs - settings.AUDIT_ADDRESS_DAYS * DAY_MS);
      const removed = await chain.prune(nowMs - settings.AUDIT_RETENTION_DAYS * DAY_MS);
      if (removed > 0)
        await database.run(
          auditEntry({
            atMs: nowMs,
            actorId: null,
            action: "audit.prune",
            after: { removed, retentionDays: settings.AUDIT_RETENTION_DAYS },
          }),
        );
    }),
  );
}

/**
 * Removes client addresses of entries older than an instant. The entries stay and still verify,
 * because addresses are not sealed.
 */
export async function removeOldAddresses(database: Database, beforeMs: number): Promise<void> {
  await database.batch([
    sql`UPDATE audit SET address = NULL WHERE address IS NOT NULL AND at < ${beforeMs}`,
    sql`DELETE FROM refusal_counts WHERE minute_at < ${beforeMs}`,
  ]);
}
