import { join, resolve, sep } from "node:path";
import * as z from "zod/mini";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { foldPath } from "#service/library/library-path.ts";
import { openExclusively } from "./file-lock.ts";

/** In a mirror's folder: which stored file each local file is. Held by one process at a time. */
export const INDEX_NAME = ".vodkeep-mirror.db";

const SCHEMA = `CREATE TABLE IF NOT EXISTS copies (
  key TEXT PRIMARY KEY, path TEXT NOT NULL UNIQUE, modified_ms REAL NOT NULL,
  digest TEXT)`;

const rowSchema = z.object({
  key: objectKeySchema,
  path: z.string(),
  modified_ms: z.number(),
  digest: z.nullable(z.string().check(z.regex(/^\d+ [1-9]\d* [0-9a-f]{64}$/))),
});

export type Copy = {
  readonly path: string;
  /** The local file's when its bytes were last compared; 0 before. */
  readonly modifiedMs: number;
  /** Proves the copy when the service does not store the file any more; null: not known. */
  readonly digest: string | null;
};
export type MirrorIndex = ReturnType<typeof openMirrorIndex>;

/** @throws {CommandError} if another process has it open */
export function openMirrorIndex(folder: string, use: "write" | "read" = "write") {
  const database = openExclusively(join(folder, INDEX_NAME), use === "read" ? null : SCHEMA);
  const put = database.prepare(
    "INSERT OR REPLACE INTO copies (key, path, modified_ms, digest) VALUES (?, ?, ?, ?)",
  );
  const root = resolve(folder);
  const rows = database
    .prepare("SELECT * FROM copies")
    .all()
    .map((row) => rowSchema.parse(row));
  const owners = new Map(rows.map(({ path, key }) => [foldPath(path), key]));
  return {
    /** By key. Leaves out what a foreign index would place outside of the folder. */
    all(): Map<ObjectKey, Copy> {
      return new Map(
        rows
          .filter(({ path }) => resolve(root, path).startsWith(root + sep))
          .map(({ key, path, modified_ms: modifiedMs, digest }) => [
            key,
            { path, modifiedMs, digest },
          ]),
      );
    },
    isTaken: (path: string, key: ObjectKey) => (owners.get(foldPath(path)) ?? key) !== key,
    put(key: ObjectKey, copy: Copy): void {
      owners.set(foldPath(copy.path), key);
      put.run(key, copy.path, copy.modifiedMs, copy.digest);
    },
    close: () => database.close(),
  };
}
