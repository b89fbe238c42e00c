import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { getFile, type StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { verifyFile } from "#contract/verification.ts";
import { getUpload } from "#contract/uploads.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { call, type Connection } from "./call.ts";
import { readConnection } from "./connection.ts";
import { bar, openProgress, print, type ProgressLines } from "./output.ts";
import { localNameOf } from "./safe-name.ts";
import { copyStored, SentOtherBytes, type CopyResult } from "./stored-copy.ts";

type Options = { readonly json?: boolean; readonly to?: string; readonly mp4?: boolean };

/** `name` is a file's key, which has slashes, or an upload's id. */
export async function download(name: string, options: Options): Promise<void> {
  const connection = await readConnection();
  const file = await findFile(connection, name);
  // Fragmented MP4 of an archive may have several init segments, which few programs play.
  const isArchive = file.playlistUrl !== undefined;
  const isConverted =
    options.mp4 === true && (isArchive || !/\.mp4$/i.test(file.filename ?? file.key));
  const path = await targetOf(file, options.to, isConverted);
  if (isConverted && existsSync(path))
    throw new CommandError(EXIT_CODES.failed, `${path} is there already.`);
  const copy = isConverted ? `${path}.original` : path;
  const progress = await openProgress(options);
  const result = await copyWithProgress(connection, file, copy, progress).finally(() =>
    progress.end(),
  );
  // The addresses of `file` may have expired.
  if (isConverted)
    await (
      await import("./mp4.ts")
    ).convertToMp4(connection, await findFile(connection, name), copy, path);
  print(options, { key: file.key, path, result }, () => [`${path}: ${RESULTS[result]}`]);
}

const RESULTS: Readonly<Record<CopyResult, string>> = {
  copied: "downloaded and verified",
  present: "is there already, verified",
  unproved: "downloaded; the service has no digests to verify it with",
};

export async function findFile(connection: Connection, name: string): Promise<StoredFile> {
  let key: string | null = name;
  if (!name.includes("/")) {
    key = (await call(connection, getUpload, { params: { id: name } })).fileKey;
    if (key === null) throw new CommandError(EXIT_CODES.notFound, `${name} has no stored file.`);
  }
  return await call(connection, getFile, { params: { key } });
}

async function targetOf(
  file: StoredFile,
  to: string | undefined,
  isConverted: boolean,
): Promise<string> {
  const stored = localNameOf(file);
  const stem = stored.replace(/\.\w{1,4}$/, "");
  // A fragmented MP4 of the archive keeps its name beside the file that is made of it.
  const name = isConverted ? `${stem}${stored === `${stem}.mp4` ? " (one file)" : ""}.mp4` : stored;
  if (to === undefined) return resolve(name);
  const isFolder = to.endsWith("/") || ((await stat(to).catch(() => null))?.isDirectory() ?? false);
  return resolve(isFolder ? join(to, name) : to);
}

/** If the service sends other bytes than those that it proved, it is asked to verify the file. */
export async function copyWithProgress(
  connection: Connection,
  file: StoredFile,
  path: string,
  progress: ProgressLines,
): Promise<CopyResult> {
  const startedMs = Date.now();
  let first: number | undefined;
  return await copyStored(connection, file, path, (storedBytes) => {
    first ??= storedBytes;
    const perSecond = ((storedBytes - first) * 1_000) / Math.max(1, Date.now() - startedMs);
    const percentage = (storedBytes / Math.max(1, file.size)) * 100;
    progress.show(
      [
        path,
        `${bar(percentage)} ${formatBytes(storedBytes)} of ${formatBytes(file.size)}, ${formatBytes(perSecond)}/s`,
      ],
      `Downloading ${path}`,
    );
  }).catch(async (error: unknown) => {
    throw error instanceof SentOtherBytes ? await askToVerify(connection, file, error) : error;
  });
}

async function askToVerify(
  connection: Connection,
  { key }: StoredFile,
  { exitCode, message }: SentOtherBytes,
): Promise<CommandError> {
  const asked = await call(connection, verifyFile, { body: { key } }).then(
    () => "The service verifies the file next.",
    (error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      return error.exitCode === EXIT_CODES.refused
        ? "This token may not ask the service to verify the file: that takes write:uploads."
        : `The service could not be asked to verify the file: ${error.message}`;
    },
  );
  return new CommandError(exitCode, `${message} ${asked}`);
}
