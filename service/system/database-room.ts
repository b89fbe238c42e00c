import { sql } from "#service/db/sql.ts";
import { DatabaseError, type Database } from "#service/ports/database.ts";

/** More than a page of SQLite's: rows may still find room where rows are when nothing else does. */
const ROOM_BYTES = 8_192;

/** Writes what needs room of its own, and gives it back at once. @throws {DatabaseError} */
export async function tryWriting(database: Database): Promise<void> {
  await database.batch([
    sql`INSERT INTO health_probes (component, status, detail, since_at, checked_at)
      VALUES ('room', 'unknown', ${"-".repeat(ROOM_BYTES)}, 0, 0)
      ON CONFLICT (component) DO NOTHING`,
    sql`DELETE FROM health_probes WHERE component = 'room'`,
  ]);
}

/** What a failed read or write says about the database, as a sentence. */
export function describeDatabaseFault(error: unknown): string {
  return error instanceof DatabaseError && error.kind === "full"
    ? "The database is full and takes no changes."
    : "The database does not answer.";
}
