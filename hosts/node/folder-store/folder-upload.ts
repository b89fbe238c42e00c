import { type FileHandle, lstat, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { type MultipartHandle, type PutOptions, StoreError } from "#service/ports/object-store.ts";
import { fileErrorCode } from "../file-error.ts";
import { syncFolder } from "../sync-folder.ts";
import { type PartLedger, openPartLedger } from "./folder-part-ledger.ts";
import { READ, READ_WRITE } from "./open-flags.ts";

/** An unfinished multipart upload: a folder with its description, content and ledger. */
export type FolderUpload = {
  readonly key: ObjectKey;
  readonly folder: string;
  readonly contentPath: string;
  readonly content: FileHandle;
  readonly options: PutOptions;
  readonly ledger: PartLedger;
  /** Writes in progress by part number; ending the upload waits for them. */
  readonly writes: Map<number, Promise<unknown>>;
  ended: boolean;
};

const descriptionSchema = z.object({
  key: objectKeySchema,
  contentType: z.string(),
  metadata: z.record(z.string(), z.string()),
  startedAtMs: z.number(),
  /** Earlier versions did not declare it. */
  partSizeBytes: z._default(z.nullable(z.number()), null),
});
type UploadDescription = z.infer<typeof descriptionSchema>;

export function noSuchUpload(handle: MultipartHandle): StoreError {
  return new StoreError("no_such_upload", `No unfinished upload ${handle.multipartId}`);
}

/** Fills an empty folder. The content is created last: an upload without it does not exist. */
export async function describeUpload(
  folder: string,
  description: UploadDescription,
): Promise<void> {
  await writeFile(join(folder, "upload.json"), JSON.stringify(description), { flush: true });
  await writeFile(ledgerPathIn(folder), "", { flush: true });
  await writeFile(contentPathIn(folder), "", { flush: true });
  await syncFolder(folder);
}

/** Null when there is no unfinished upload in the folder. */
export async function readDescription(folder: string): Promise<UploadDescription | null> {
  try {
    if (!(await lstat(folder)).isDirectory()) return null;
    if (!(await lstat(contentPathIn(folder))).isFile()) return null;
    const text = await readFile(join(folder, "upload.json"), { encoding: "utf8", flag: READ });
    return descriptionSchema.parse(JSON.parse(text));
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** @throws {StoreError} `no_such_upload` when it has ended or belongs to another key. */
export async function openUpload(folder: string, handle: MultipartHandle): Promise<FolderUpload> {
  const description = await readDescription(folder);
  if (description === null || description.key !== handle.key) throw noSuchUpload(handle);
  const contentPath = contentPathIn(folder);
  const content = await open(contentPath, READ_WRITE).catch((error: unknown) => {
    if (fileErrorCode(error) === "ENOENT") throw noSuchUpload(handle);
    throw error;
  });
  const ledger = await openPartLedger(ledgerPathIn(folder), description.partSizeBytes);
  return {
    key: handle.key,
    folder,
    contentPath,
    content,
    options: { contentType: description.contentType, metadata: description.metadata },
    ledger,
    writes: new Map(),
    ended: false,
  };
}

function contentPathIn(folder: string): string {
  return join(folder, "content");
}

function ledgerPathIn(folder: string): string {
  return join(folder, "parts.jsonl");
}
