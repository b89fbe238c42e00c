import { readdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { existsSync } from "node:fs";
import { getFile, type ObjectKey, type StoredFile } from "#contract/files.ts";
import { fileErrorCode } from "#hosts/node/file-error.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { call, type Connection } from "./call.ts";
import { readConnection } from "./connection.ts";
import { listStored } from "./mirror.ts";
import { INDEX_NAME, openMirrorIndex, type Copy } from "./mirror-index.ts";
import { bar, openProgress, print } from "./output.ts";
import { hasDigest, isProved, isRight, readProof, type Proof } from "./proof.ts";

type Json = { readonly json?: boolean };
type Verdict = {
  readonly path: string;
  readonly key: ObjectKey | null;
  /**
   * `unknown`: no stored file is the same. `unproved`: there are no digests of it. `kept`: the copy is
   * right, but the service does not store the file any more.
   */
  readonly result: "right" | "kept" | "differs" | "missing" | "unknown" | "unproved" | "unreadable";
};

const WORDS: Readonly<Partial<Record<Verdict["result"], string>>> = { kept: "kept here only" };

/**
 * Compares local files with the digests that the service proved. In a mirror its index says which
 * stored file each is, and what is missing; elsewhere any stored file of the same bytes will do.
 */
export async function verify(path: string, options: Json): Promise<void> {
  const connection = await readConnection();
  const found = await stat(path).catch(() => null);
  if (found === null) throw new CommandError(EXIT_CODES.notFound, `There is no ${path}.`);
  const root = resolve(path);
  const mirror = readMirror(root);
  const copies = mirror ?? new Map<ObjectKey, Copy>();
  const locals = found.isDirectory() ? await filesIn(root) : [root];
  const inMirror = new Map([...copies].map(([key, copy]) => [copy.path, { key, ...copy }]));
  const here = new Set(locals);
  const progress = await openProgress(options);
  let stored: readonly StoredFile[] | undefined;
  const verdicts: Verdict[] = [];
  try {
    for (const [index, local] of locals.entries()) {
      progress.show([`${bar((index / locals.length) * 100)} ${local}`]);
      const copy = inMirror.get(local);
      // A mirror may hold files that are not of it.
      if (copy === undefined && mirror !== null && found.isDirectory()) continue;
      verdicts.push(
        await unlessUnreadable(local, copy?.key ?? null, async () => {
          if (copy !== undefined) return await compareCopy(connection, copy);
          stored ??= await listStored(connection, undefined);
          return await search(connection, local, stored);
        }),
      );
    }
    for (const { path: copy, key } of inMirror.values())
      if (copy.startsWith(root + sep) && !here.has(copy))
        // What was deleted on both sides is nobody's loss.
        if ((await proofOf(connection, key)) !== null)
          verdicts.push({ path: copy, key, result: "missing" });
  } finally {
    progress.end();
  }
  const kept = verdicts.filter(({ result }) => result === "kept");
  const right = verdicts.filter(({ result }) => result === "right");
  const wrong = verdicts.filter((each) => !kept.includes(each) && !right.includes(each));
  print(options, verdicts, () => [
    ...[...kept, ...wrong].map(
      ({ result, path: each }) => `${(WORDS[result] ?? result).padEnd(15)}${relative("", each)}`,
    ),
    `${right.length} of ${verdicts.length} files are right`,
  ]);
  const isNothing = verdicts.length === 0 && mirror === null;
  if (wrong.length > 0 || isNothing)
    throw new CommandError(
      EXIT_CODES.mismatch,
      isNothing
        ? `There is nothing to verify in ${path}.`
        : `${wrong.length} of ${verdicts.length} files are not proved to be what is stored.`,
    );
  if (kept.length > 0)
    throw new CommandError(
      EXIT_CODES.keptHereOnly,
      `The service does not store ${kept.length} of ${verdicts.length} files any more.`,
    );
}

/** The copies, with absolute paths, of the mirror that a file or folder is in; null outside of one. */
function readMirror(root: string): ReadonlyMap<ObjectKey, Copy> | null {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, INDEX_NAME))) {
      const index = openMirrorIndex(folder, "read");
      const copies = [...index.all()].map(
        ([key, copy]) => [key, { ...copy, path: resolve(folder, copy.path) }] as const,
      );
      index.close();
      return new Map(copies);
    }
    if (folder === dirname(folder)) return null;
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

/** One file that cannot be read, as on a failing disk, does not keep the others from being compared. */
async function unlessUnreadable(
  path: string,
  key: ObjectKey | null,
  judge: () => Promise<Verdict>,
): Promise<Verdict> {
  try {
    return await judge();
  } catch (error) {
    if (fileErrorCode(error) === null || error instanceof CommandError) throw error;
    return { path, key, result: "unreadable" };
  }
}

/** Null if the service does not store the file any more. */
async function proofOf(connection: Connection, key: ObjectKey): Promise<Proof | null> {
  try {
    return await readProof(connection, await call(connection, getFile, { params: { key } }));
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT_CODES.notFound) return null;
    throw error;
  }
}

async function compareCopy(
  connection: Connection,
  { path, key, digest }: Copy & { readonly key: ObjectKey },
): Promise<Verdict> {
  const proof = await proofOf(connection, key);
  if (proof !== null) return await compare(path, key, proof);
  if (digest === null) return { path, key, result: "unproved" };
  return { path, key, result: (await hasDigest(path, digest)) ? "kept" : "differs" };
}

async function compare(path: string, key: ObjectKey, proof: Proof): Promise<Verdict> {
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
    const verdict = await compare(path, file.key, await readProof(connection, file));
    if (verdict.result === "right") return verdict;
  }
  return { path, key: null, result: "unknown" };
}
