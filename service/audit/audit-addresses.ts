import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

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
