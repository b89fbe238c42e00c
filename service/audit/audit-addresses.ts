import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

/** Clients' addresses from before an instant. Entries stay and verify: addresses are not sealed. */
export async function removeOldAddresses(database: Database, beforeMs: number): Promise<void> {
  await database.batch([
    sql`UPDATE audit SET address = NULL WHERE address IS NOT NULL AND at < ${beforeMs}`,
    sql`DELETE FROM refusal_counts WHERE minute_at < ${beforeMs}`,
  ]);
}
