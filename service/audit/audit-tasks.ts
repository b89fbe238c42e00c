import type { ServiceContext } from "#service/context.ts";
import { LOOK_EVERY_MS, type PendingWork } from "#service/db/pending-work.ts";
import { sql } from "#service/db/sql.ts";
import type { AuditChain } from "./audit-chain.ts";

const UNSEALED_ENTRY = sql`SELECT 1 WHERE (SELECT max(seq) FROM audit)
  > coalesce((SELECT seq FROM audit_marks WHERE name = 'head'), 0)`;

/**
 * The newest seal is also logged to standard output, where nobody with database access can change
 * it.
 */
const TELL_EVERY_MS = 3_600_000;

export function scheduleAuditTasks(
  { platform: { scheduler }, log }: ServiceContext,
  pending: PendingWork,
  chain: AuditChain,
): void {
  const seal = pending.when(UNSEALED_ENTRY, async () => void (await chain.seal()));
  scheduler.every(LOOK_EVERY_MS, "audit seals", seal);
  scheduler.every(TELL_EVERY_MS, "audit head", async () => {
    const head = await chain.head();
    // Split into groups, because log redaction would mask a run of hex digits this long.
    if (head !== null)
      log.info("The audit log's newest seal", {
        entry: head.seq,
        seal: head.hash.match(/.{1,16}/g)?.join(" "),
      });
  });
}
