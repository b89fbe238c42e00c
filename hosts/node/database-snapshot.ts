import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * Writes a consistent copy of the SQLite file `from` to `to`, also while a service writes to it.
 * The copy has no sessions: one that was ended since must not return with it. Repeating is safe.
 * Blocks this thread; a copy that fails is removed.
 *
 * @throws what SQLite reports, e.g. "database or disk is full"
 */
export function takeDatabaseSnapshot(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    withDatabase(new DatabaseSync(from, { readOnly: true }), (source) =>
      source.prepare("VACUUM INTO ?").run(to),
    );
    withDatabase(new DatabaseSync(to), (copy) => {
      for (const table of ["stream_tickets", "sessions"])
        if (copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table) !== undefined)
          copy.exec(`DELETE FROM ${table}`);
    });
  } catch (error) {
    for (const suffix of ["", "-journal"]) rmSync(`${to}${suffix}`, { force: true });
    throw error;
  }
}

/** Bytes that a copy of the SQLite file takes at most. */
export function snapshotSizeBytes(path: string): number {
  return withDatabase(new DatabaseSync(path, { readOnly: true }), (source) => {
    const row = source
      .prepare(
        `SELECT (c.page_count - f.freelist_count) * s.page_size AS bytes
         FROM pragma_page_count c, pragma_freelist_count f, pragma_page_size s`,
      )
      .get();
    return Number(row?.bytes);
  });
}

function withDatabase<Result>(
  database: DatabaseSync,
  work: (database: DatabaseSync) => Result,
): Result {
  try {
    return work(database);
  } finally {
    database.close();
  }
}
