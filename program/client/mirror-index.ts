import { join, resolve, sep } from "node:path";
import * as z from "zod/mini";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { openExclusively } from "./file-lock.ts";

/** In a mirror's folder: which stored file each local file is. Held by one process at a time. */
export const INDEX_NAME = ".vodkeep-mirror.db";

const SCHEMA = `CREATE TABLE IF NOT EXISTS copies (
  key TEXT PRIMARY KEY, path TEXT NOT NULL UNIQUE COLLATE NOCASE, modified_ms REAL NOT NULL)`;

const rowSchema = z.object({ key: objectKeySchema, path: z.string(), modified_ms: z.number() });

/** `modifiedMs` is the local file's when its bytes were last compared; 0 before. */
export type Copy = { readonly path: string; readonly modifiedMs: number };
export type MirrorIndex = ReturnType<typeof openMirrorIndex>;

/** @throws {CommandError} if another process has it open */
export function openMirrorIndex(folder: string, use: "write" | "read" = "write") {
  const database = openExclusively(join(folder, INDEX_NAME), use === "read" ? null : SCHEMA);
  const put = database.prepare(
    "INSERT OR REPLACE INTO copies (key, path, modified_ms) VALUES (?, ?, ?)",
  );
  const isTaken = database.prepare("SELECT 1 FROM copies WHERE path = ? AND key <> ?");
  const root = resolve(folder);
  return {
    /** By key. Leaves out what a foreign index would place outside of the folder. */
    all(): Map<ObjectKey, Copy> {
      const rows = database
        .prepare("SELECT * FROM copies")
        .all()
        .map((row) => rowSchema.parse(row));
      return new Map(
        rows
          .filter(({ path }) => resolve(root, path).startsWith(root + sep))
          .map((row) => [row.key, { path: row.path, modifiedMs: row.modified_ms }]),
      );
    },
    isTaken: (path: string, key: ObjectKey) => isTaken.get(path, key) !== undefined,
    put: (key: ObjectKey, copy: Copy) => void put.run(key, copy.path, copy.modifiedMs),
    close: () => database.close(),
  };
}
