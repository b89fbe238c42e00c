import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { takeDatabaseSnapshot } from "#hosts/node/database-snapshot.ts";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { backupKeys } from "#service/backups/stored-backups.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { readSettings } from "#service/settings.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { withObjectStore } from "../with-object-store.ts";

export const NIGHTS = ["2026-11-25T03-00-00", "2026-11-26T03-00-00"] as const;

export type RestoreFolder = Awaited<ReturnType<typeof openRestoreFolder>>;

/** A data folder whose database has one upload more than its backups of two nights. */
export async function openRestoreFolder() {
  const folder = await makeTemporaryFolder();
  const { path } = folder;
  const databasePath = join(path, "vodkeep.db");

  async function withDatabase<T>(work: (database: SqliteDatabase) => Promise<T>): Promise<T> {
    const database = openSqliteDatabase(databasePath);
    const result = await work(database);
    await database.close();
    return result;
  }

  /** As the service does at night. */
  async function backUp(night: string, damage: (bytes: Buffer) => void = () => undefined) {
    const copy = join(path, "copy.db");
    takeDatabaseSnapshot(databasePath, copy);
    const data = gzipSync(readFileSync(copy));
    const facts = {
      sizeBytes: data.byteLength,
      sha256: hash("sha256", data),
      schema: "",
      uploads: 1,
      files: 1,
      auditHead: null,
    };
    damage(data);
    const keys = backupKeys(night);
    const text = new TextEncoder().encode(JSON.stringify(facts));
    await withObjectStore(readSettings({}), path, fetch, async (store) => {
      await store.put(keys.data, data, { contentType: "application/gzip" });
      await store.put(keys.facts, text, { contentType: "application/json" });
    });
  }

  async function restoreWith(settings: Record<string, string>, ...args: readonly string[]) {
    const end = await runVodkeep(["restore", ...args], { DATA_DIR: path, ...settings });
    return { code: end.code, said: end.code === EXIT_CODES.done ? end.stdout : end.stderr };
  }

  await withDatabase(async (database) => {
    await migrate(database, 0);
    await seedUpload(database, { id: "old", status: "completed" });
    await database.run(sql`INSERT INTO files (object_key, upload_id, user_id, filename, size_bytes,
        upload_type, status, content_type, last_modified_at)
      VALUES ('vods/1005/1/old.ts', 'old', '1005', 'old.ts', 3, 'twitch', 'complete', 'video/mp2t', 0)`);
  });
  for (const night of NIGHTS) await backUp(night);
  await withDatabase((database) => seedUpload(database, { id: "new", status: "completed" }));

  return {
    path,
    remove: () => folder.remove(),
    withDatabase,
    backUp,
    restoreWith,
    restore: (...args: readonly string[]) => restoreWith({}, ...args),
  };
}
