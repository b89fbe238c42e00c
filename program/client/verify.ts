import { readdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { existsSync } from "node:fs";
import { getFile, type ObjectKey, type StoredFile } from "#contract/files.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { call, type Connection } from "./call.ts";
import { readConnection } from "./connection.ts";
import { listStored } from "./mirror.ts";
import { INDEX_NAME, openMirrorIndex } from "./mirror-index.ts";
import { bar, openProgress, print } from "./output.ts";
import { isProved, isRight, readProof } from "./proof.ts";

type Json = { readonly json?: boolean };
type Verdict = {
  readonly path: string;
  readonly key: ObjectKey | null;
  /** `unknown`: no stored file is the same. `unproved`: the service has no digests of it. */
  readonly result: "right" | "differs" | "missing" | "unknown" | "unproved";
};

/**
 * Compares local files with the digests that the service proved. In a mirror its index says which
 * stored file each is, and what is missing; elsewhere any stored file of the same bytes will do.
 */
export async function verify(path: string, options: Json): Promise<void> {
  const connection = await readConnection();
  const found = await stat(path).catch(() => null);
  if (found === null) throw new CommandError(EXIT_CODES.notFound, `There is no ${path}.`);
  const root = resolve(path);
  const copies = readMirror(root);
  const locals = found.isDirectory() ? await filesIn(root) : [root];
  const inMirror = new Map([...copies].map(([key, copy]) => [copy, key]));
  const missing = [...inMirror]
    .filter(([copy]) => copy.startsWith(root + sep) && !locals.includes(copy))
    .map(([copy, key]): Verdict => ({ path: copy, key, result: "missing" }));
  const progress = await openProgress(options);
  let stored: readonly StoredFile[] | undefined;
  const verdicts: Verdict[] = [];
  try {
    for (const [index, local] of locals.entries()) {
      progress.show([`${bar((index / locals.length) * 100)} ${local}`]);
      const key = inMirror.get(local);
      if (key !== undefined) verdicts.push(await compare(connection, local, key));
      // A mirror may hold files that are not of it.
      else if (copies.size === 0 || !found.isDirectory()) {
        stored ??= await listStored(connection, undefined);
        verdicts.push(await search(connection, local, stored));
      }
    }
  } finally {
    progress.end();
  }
  verdicts.push(...missing);
  const wrong = verdicts.filter(({ result }) => result !== "right");
  print(options, verdicts, () => [
    ...wrong.map((each) => `${each.result.padEnd(9)}${relative("", each.path)}`),
    `${verdicts.length - wrong.length} of ${verdicts.length} files are right`,
  ]);
  if (wrong.length > 0 || verdicts.length === 0)
    throw new CommandError(
      EXIT_CODES.mismatch,
      verdicts.length === 0
        ? `There is nothing to verify in ${path}.`
        : `${wrong.length} of ${verdicts.length} files are not proved to be what is stored.`,
    );
}

/** Absolute paths of the mirror that a file or folder is in, by key; empty outside of one. */
function readMirror(root: string): ReadonlyMap<ObjectKey, string> {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, INDEX_NAME))) {
      const index = openMirrorIndex(folder, "read");
      const copies = [...index.all()].map(
        ([key, { path }]) => [key, resolve(folder, path)] as const,
      );
      index.close();
      return new Map(copies);
    }
    if (folder === dirname(folder)) return new Map();
  }
}

async function filesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter(
      (entry) =>
        entry.isFile() &&
        !entry.name.startsWith(".") &&
        !/\.(?:part|lock|lock-journal)$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

async function compare(connection: Connection, path: string, key: ObjectKey): Promise<Verdict> {
  const proof = await readProof(connection, await call(connection, getFile, { params: { key } }));
  if (!isProved(proof)) return { path, key, result: "unproved" };
  return { path, key, result: (await isRight(path, proof)) ? "right" : "differs" };
}

async function search(
  connection: Connection,
  path: string,
  stored: readonly StoredFile[],
): Promise<Verdict> {
  const { size } = await stat(path);
  for (const file of stored.filter((each) => each.size === size)) {
    const verdict = await compare(connection, path, file.key);
    if (verdict.result === "right") return verdict;
  }
  return { path, key: null, result: "unknown" };
}
