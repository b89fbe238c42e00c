import { lstat, open, readFile, rename } from "node:fs/promises";
import type { Stats } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { ObjectKey } from "#contract/files.ts";
import type { ObjectHead, PutOptions } from "#service/ports/object-store.ts";
import { fileErrorCode } from "../file-error.ts";
import { type FolderLayout, headPath, makeParentFolder } from "./folder-layout.ts";
import { READ } from "./open-flags.ts";

/**
 * An object's metadata, kept in a small file beside it.
 *
 * Two files cannot change atomically. The small file may therefore contain two versions, from
 * before and after a replacement; the object's own size and modification time tell which one
 * applies. A crash at any point leaves the old object with its old head or the new one with its new
 * head. A file put into the folder by other means has no version and gets a default head.
 */
const versionSchema = z.object({
  sizeBytes: z.number(),
  modifiedAtMs: z.number(),
  tag: z.string(),
  contentType: z.string(),
  metadata: z.record(z.string(), z.string()),
});
export type HeadVersion = z.infer<typeof versionSchema>;

const headFileSchema = z.object({ versions: z.array(versionSchema) });

export function buildVersion(
  sizeBytes: number,
  modifiedAtMs: number,
  tag: string,
  options: PutOptions,
): HeadVersion {
  return {
    sizeBytes,
    modifiedAtMs,
    tag,
    contentType: options.contentType,
    metadata: { ...options.metadata },
  };
}

/** Returns the head that matches the file's `stats`. */
export async function readHead(key: ObjectKey, path: string, stats: Stats): Promise<ObjectHead> {
  const versions = await readVersions(path);
  const modifiedAtMs = Math.round(stats.mtimeMs);
  const version = versions.find(
    (each) => each.sizeBytes === stats.size && each.modifiedAtMs === modifiedAtMs,
  );
  return {
    key,
    sizeBytes: stats.size,
    lastModifiedAt: new Date(modifiedAtMs),
    tag: version?.tag ?? `unknown-${stats.size.toString(16)}-${modifiedAtMs.toString(16)}`,
    contentType: version?.contentType ?? null,
    metadata: version?.metadata ?? {},
  };
}

/** Writes the head of the object about to replace the one at `path`, keeping the current head. */
export async function writeHead(
  layout: FolderLayout,
  path: string,
  version: HeadVersion,
  freshName: string,
): Promise<void> {
  const present = await statIfThere(path);
  const kept =
    present === null
      ? []
      : (await readVersions(path)).filter(
          (each) =>
            each.sizeBytes === present.size && each.modifiedAtMs === Math.round(present.mtimeMs),
        );
  const freshPath = join(layout.fresh, freshName);
  await makeParentFolder(layout, freshPath);
  const file = await open(freshPath, "wx");
  try {
    await file.writeFile(JSON.stringify({ versions: [version, ...kept] }));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(freshPath, headPath(path));
}

/** A modification time that differs from the current object's, so that heads cannot be confused. */
export async function nextModifiedAtMs(path: string, nowMs: number): Promise<number> {
  const present = await statIfThere(path);
  return present === null
    ? Math.round(nowMs)
    : Math.max(Math.round(nowMs), Math.round(present.mtimeMs) + 1);
}

export async function statIfThere(path: string): Promise<Stats | null> {
  try {
    const stats = await lstat(path);
    return stats.isFile() ? stats : null;
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

async function readVersions(path: string): Promise<readonly HeadVersion[]> {
  try {
    const parsed = headFileSchema.safeParse(
      JSON.parse(await readFile(headPath(path), { encoding: "utf8", flag: READ })),
    );
    return parsed.success ? parsed.data.versions : [];
  } catch (error) {
    // Missing or damaged: the object is valid without it.
    const code = fileErrorCode(error);
    if (code === "ENOENT" || code === "ELOOP" || error instanceof SyntaxError) return [];
    throw error;
  }
}
