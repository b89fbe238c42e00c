import type { ServiceContext } from "#service/context.ts";
import type { AuditChain } from "./audit-chain.ts";
import { auditEntry } from "./audit-entry.ts";
import { removeOldAddresses } from "./audit-addresses.ts";
import type { RefusalCounts } from "./refusal-counts.ts";

/** A row is unsealed, and so could be changed unnoticed, for about this long. */
const SEAL_EVERY_MS = 2_000;

/** At most this much counting is lost when a process dies. */
const COUNT_EVERY_MS = 5_000;

/** The newest seal goes to the log's standard output too, out of reach of whoever owns the database. */
const TELL_EVERY_MS = 3_600_000;

const PRUNE_EVERY_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;

export function scheduleAuditTasks(
  { platform, settings, log }: ServiceContext,
  chain: AuditChain,
  refusals: RefusalCounts,
): void {
  const { scheduler, database, clock } = platform;
  scheduler.every(SEAL_EVERY_MS, "audit seals", async () => {
    await chain.seal();
  });
  scheduler.every(COUNT_EVERY_MS, "refusal counts", () => refusals.flush());
  scheduler.every(TELL_EVERY_MS, "audit head", async () => {
    const head = await chain.head();
    // In groups, because a run of hex digits this long would be masked as a token.
    if (head !== null)
      log.info("The audit log's newest seal", {
        entry: head.seq,
        seal: head.hash.match(/.{1,16}/g)?.join(" "),
      });
  });
  scheduler.every(PRUNE_EVERY_MS, "audit retention", async () => {
    const nowMs = clock.now();
    await removeOldAddresses(database, nowMs - settings.AUDIT_ADDRESS_DAYS * DAY_MS);
    const removed = await chain.prune(nowMs - settings.AUDIT_RETENTION_DAYS * DAY_MS);
    if (removed > 0)
      await database.run(
        auditEntry({
          atMs: nowMs,
          actorId: null,
          action: "audit.prune",
          result: "done",
          after: { removed, retentionDays: settings.AUDIT_RETENTION_DAYS },
        }),
      );
  });
}
