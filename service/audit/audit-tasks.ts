import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { sealAudit } from "./audit-chain.ts";

/** A row is unsealed, and so could be changed unnoticed, for about this long. */
const SEAL_EVERY_MS = 2_000;

/** The newest seal goes to the log's standard output too, out of reach of whoever owns the database. */
const TELL_EVERY_MS = 3_600_000;

export function scheduleAuditTasks({ platform, log }: ServiceContext): void {
  platform.scheduler.every(SEAL_EVERY_MS, "audit seals", () => sealAudit(platform));
  platform.scheduler.every(TELL_EVERY_MS, "audit head", async () => {
    const [head] = await platform.database.all(sql`
      SELECT seq, hash FROM audit_seals ORDER BY seq DESC LIMIT 1`);
    // In groups, because a run of hex digits this long would be masked as a token.
    if (head !== undefined)
      log.info("The audit log's newest seal", {
        entry: head.seq,
        seal: String(head.hash)
          .match(/.{1,16}/g)
          ?.join(" "),
      });
  });
}
