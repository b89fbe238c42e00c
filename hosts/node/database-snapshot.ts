import { existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import type { SnapshotFacts } from "#service/ports/snapshots.ts";
import type { Origin } from "#service/store/deployment.ts";
import { asDatabaseError, isDamage } from "./database-error.ts";

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
      if (copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sessions'").get() !== undefined)
        copy.exec("DELETE FROM sessions");
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

/**
 * What the SQLite file was written with, also by an earlier version; nothing if there is none.
 *
 * @throws {DatabaseError}
 */
export function readOrigin(path: string): Origin {
  if (!existsSync(path)) return originRow.parse({});
  try {
    return withDatabase(new DatabaseSync(path, { readOnly: true }), (database) => {
      const has = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'deployment'").get();
      const row = has === undefined ? {} : database.prepare("SELECT * FROM deployment").get();
      return originRow.parse(row ?? {});
    });
  } catch (error) {
    throw asDatabaseError(error);
  }
}

const nullableText = z._default(z.nullable(z.string()), null);

const originRow = z.pipe(
  z.object({ twitch_client_id: nullableText, key_fingerprint: nullableText }),
  z.transform((row): Origin => ({
    twitchClientId: row.twitch_client_id,
    keyFingerprint: row.key_fingerprint,
  })),
);

export type DatabaseFacts = Omit<SnapshotFacts, "sizeBytes" | "sha256">;

/** What a backup states of its database. Blocks this thread. */
export function readFacts(path: string): DatabaseFacts {
  const { keyFingerprint } = readOrigin(path);
  return withDatabase(new DatabaseSync(path, { readOnly: true }), (copy) => {
    const row = copy
      .prepare(
        `SELECT (SELECT count(*) FROM uploads) AS uploads, (SELECT count(*) FROM files) AS files,
           (SELECT max(name) FROM migrations) AS schema,
           (SELECT seq || ' ' || hash FROM audit_marks WHERE name = 'head') AS auditHead`,
      )
      .get();
    return {
      uploads: Number(row?.["uploads"]),
      files: Number(row?.["files"]),
      schema: String(row?.["schema"]),
      keyFingerprint,
      auditHead: typeof row?.["auditHead"] === "string" ? row["auditHead"] : null,
    };
  });
}

/**
 * What SQLite finds damaged in the whole file, in its words; null if nothing. Blocks this thread.
 *
 * @throws what keeps SQLite from checking it
 */
export function findDamage(path: string): string | null {
  try {
    return withDatabase(new DatabaseSync(path, { readOnly: true }), (database) => {
      const found = database.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"];
      return found === "ok" ? null : String(found);
    });
  } catch (error) {
    if (error instanceof Error && isDamage(error)) return error.message;
    throw error;
  }
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
