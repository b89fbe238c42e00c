import { sql } from "#service/db/sql.ts";
import { DatabaseError, type Database } from "#service/ports/database.ts";

/**
 * More than a SQLite page, because small rows may still fit into existing pages of a full database.
 */
const ROOM_BYTES = 8_192;

/** Writes a row that needs new space, and deletes it again. @throws {DatabaseError} */
export async function tryWriting(database: Database): Promise<void> {
  await database.batch([
    sql`INSERT INTO health_probes (component, status, detail, since_at, checked_at)
      VALUES ('room', 'unknown', ${"-".repeat(ROOM_BYTES)}, 0, 0)
      ON CONFLICT (component) DO NOTHING`,
    sql`DELETE FROM health_probes WHERE component = 'room'`,
  ]);
}

/** Describes a failed read or write as a sentence about the database. */
export function describeDatabaseFault(error: unknown): string {
  return error instanceof DatabaseError && error.kind === "full"
    ? "The database is full and accepts no changes."
    : "The database is not responding.";
}
