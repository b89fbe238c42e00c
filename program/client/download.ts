import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { clockTime } from "#contract/clock-time.ts";
import { getFile, type StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { verifyFile } from "#contract/verification.ts";
import { getUpload } from "#contract/uploads.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { call, type Connection } from "./call.ts";
import { readConnection } from "./connection.ts";
import { tryEach } from "./try-each.ts";
import { bar, openProgress, print, type ProgressLines } from "./output.ts";
import { isProved, readProof } from "./proof.ts";
import { localNameOf } from "./safe-name.ts";
import { copyStored, SentOtherBytes, type CopyResult } from "./stored-copy.ts";

type Options = {
  readonly json?: boolean;
  readonly output?: string;
  readonly mp4?: boolean;
  /** Seconds in the video; only with `mp4`. */
  readonly from?: number;
  readonly to?: number;
};

/** A name is a file's key, which has slashes, or an upload's id. */
export async function download(names: readonly string[], options: Options): Promise<void> {
  const { from, to, output, mp4 } = options;
  if ((from !== undefined || to !== undefined) && mp4 !== true)
    throw new CommandError(EXIT_CODES.usage, "--from and --to need --mp4.");
  if (to !== undefined && to <= (from ?? 0))
    throw new CommandError(EXIT_CODES.usage, "--to has to be after --from.");
  if (names.length > 1 && output !== undefined && !(await isFolder(output)))
    throw new CommandError(EXIT_CODES.usage, `${output} is no folder for several files.`);
  const connection = await readConnection();
  const { done, failure } = await tryEach(
    names,
    (name) => downloadOne(connection, name, options),
    (name) => (names.length > 1 ? name : ""),
  );
  print(options, done, () => done.map(({ path, result }) => `${path}: ${RESULTS[result]}`));
  if (failure !== null) throw failure;
}

async function downloadOne(connection: Connection, name: string, options: Options) {
  const file = await findFile(connection, name);
  const { key } = file;
  const isSpan = options.from !== undefined || options.to !== undefined;
  // Fragmented MP4 of an archive may have several init segments, which few programs play.
  const isArchive = file.playlistUrl !== undefined;
  const isConverted =
    isSpan || (options.mp4 === true && (isArchive || !/\.mp4$/i.test(file.filename ?? file.key)));
  const path = await targetOf(file, options, isConverted);
  const progress = await openProgress(options);
  try {
    const result = isConverted
      ? await convert(connection, file, options, path, progress)
      : await copyWithProgress(connection, file, path, progress);
    return { key, path, result };
  } finally {
    progress.end();
  }
}

/** Makes one MP4 file of a stored file or of a span of it, of which it reads only what it needs. */
async function convert(
  connection: Connection,
  file: StoredFile,
  { from = 0, to = Infinity }: Options,
  path: string,
  progress: ProgressLines,
): Promise<CopyResult> {
  if (existsSync(path)) throw new CommandError(EXIT_CODES.failed, `${path} is there already.`);
  if (file.durationSec !== null && from >= file.durationSec)
    throw new CommandError(EXIT_CODES.usage, `It ends at ${clockTime(file.durationSec)}.`);
  const [{ writeMp4 }, { provedBytes }] = await Promise.all([
    import("./mp4.ts"),
    import("./proved-bytes.ts"),
  ]);
  const proof = await readProof(connection, file);
  const bytes = provedBytes(connection, file, proof, (loadedBytes) =>
    progress.show([path, `${formatBytes(loadedBytes)} read`], `Writing ${path}`),
  );
  const span = { startSec: from, endSec: to };
  await orVerify(connection, file, writeMp4(connection, file, bytes, span, path));
  return isProved(proof) ? "copied" : "unproved";
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
  { output, from, to }: Options,
  isConverted: boolean,
): Promise<string> {
  const stored = localNameOf(file);
  const stem = stored.replace(/\.\w{1,4}$/, "");
  // A fragmented MP4 of the archive keeps its name beside the file that is made of it.
  const isSpan = from !== undefined || to !== undefined;
  const ofSpan = ` ${clockTime(from ?? 0)}-${to === undefined ? "end" : clockTime(to)}`;
  const kind = isSpan ? ofSpan.replaceAll(":", ".") : stored === `${stem}.mp4` ? " (one file)" : "";
  const name = isConverted ? `${stem}${kind}.mp4` : stored;
  if (output === undefined) return resolve(name);
  return resolve((await isFolder(output)) ? join(output, name) : output);
}

async function isFolder(path: string): Promise<boolean> {
  return path.endsWith("/") || ((await stat(path).catch(() => null))?.isDirectory() ?? false);
}

export async function copyWithProgress(
  connection: Connection,
  file: StoredFile,
  path: string,
  progress: ProgressLines,
): Promise<CopyResult> {
  const startedMs = Date.now();
  let first: number | undefined;
  const copying = copyStored(connection, file, path, (storedBytes) => {
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
  });
  return await orVerify(connection, file, copying);
}

/** If the service sends other bytes than those that it proved, it is asked to verify the file. */
async function orVerify<Result>(
  connection: Connection,
  file: StoredFile,
  reading: Promise<Result>,
): Promise<Result> {
  return await reading.catch(async (error: unknown) => {
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
