import process from "node:process";
import { bar, openProgress, print, sayAtInterrupt, table } from "./output.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import type { UploadStatus, Upload } from "#contract/upload.ts";
import {
  cancelUpload,
  getUpload,
  listUploads,
  retryUpload,
  uploadWork,
} from "#contract/uploads.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { call, type Connection } from "./call.ts";
import { channelIdOf } from "./channels.ts";
import { readConnection } from "./connection.ts";
import { tryEach } from "./try-each.ts";
import { followUploads } from "./follow.ts";

type Json = { readonly json?: boolean };

function titleOf({ metadata, filename }: Upload): string {
  return metadata.streamTitle ?? filename;
}

function rowOf(upload: Upload): string[] {
  return [
    upload.id,
    upload.status,
    `${Math.floor(upload.progress)} %`,
    formatBytes(upload.originalSize ?? upload.processedSize),
    upload.owner?.username ?? "",
    titleOf(upload),
  ];
}

function tableOf(uploads: readonly Upload[]): string[] {
  return table(["ID", "STATUS", "DONE", "SIZE", "CHANNEL", "TITLE"], uploads.map(rowOf));
}

export function lineOf(upload: Upload): string {
  const why = upload.status === "failed" && upload.errorMessage ? `: ${upload.errorMessage}` : "";
  return `${upload.id} ${upload.status} ${Math.floor(upload.progress)} % ${titleOf(upload)}${why}`;
}

const PAGE_SIZE = 100;

export async function listThem(
  options: Json & { status?: UploadStatus; channel?: string; limit: number },
): Promise<void> {
  const connection = await readConnection();
  const { status, channel } = options;
  const userId = channel === undefined ? undefined : await channelIdOf(connection, channel);
  const uploads: Upload[] = [];
  for (let page = 1; uploads.length < options.limit; page += 1) {
    const found = await call(connection, listUploads, {
      query: { page: String(page), limit: String(PAGE_SIZE), status, userId },
    });
    uploads.push(...found.items);
    if (!found.hasNext) break;
  }
  const shown = uploads.slice(0, options.limit);
  print(options, shown, () => (shown.length === 0 ? ["No uploads."] : tableOf(shown)));
}

export async function showStatus(id: string | undefined, options: Json): Promise<void> {
  const connection = await readConnection();
  if (id === undefined) {
    const work = await call(connection, uploadWork);
    const { running, waiting, failedToday, bytesPerSecond } = work;
    print(options, work, () => [
      `${running} running at ${formatBytes(bytesPerSecond)}/s, ${waiting} waiting, ${failedToday} failed today`,
      ...(work.uploads.length === 0 ? [] : tableOf(work.uploads)),
    ]);
    return;
  }
  const upload = await call(connection, getUpload, { params: { id } });
  print(options, upload, () => [
    lineOf(upload),
    ...Object.entries({
      Channel: upload.owner?.displayName,
      Quality: upload.metadata.rendition,
      Stored: formatBytes(upload.processedSize),
      Started: upload.startedAt,
      Completed: upload.completedAt,
      "Next attempt": upload.nextAttemptAt,
      File: upload.fileKey,
    }).flatMap(([name, value]) => (value ? [`${name.padEnd(14)}${value}`] : [])),
  ]);
}

/** Shows uploads as they change; with ids, until these have ended. As JSON lines with `--json`. */
export async function watch(ids: readonly string[], options: Json): Promise<void> {
  const connection = await readConnection();
  const whole = await Promise.all(ids.map((id) => completeId(connection, id)));
  const ended = await waitFor(connection, whole, options, (upload) => {
    if (options.json === true) process.stdout.write(`${JSON.stringify(upload)}\n`);
  });
  if (options.json !== true) print(options, ended, () => ended.map(lineOf));
  failUnlessCompleted(ended);
}

/** Shows how uploads go on, until all have ended. */
export async function waitFor(
  connection: Connection,
  ids: readonly string[],
  options: Json,
  onChange: (upload: Upload) => void = () => undefined,
): Promise<Upload[]> {
  using _interrupt = sayAtInterrupt("The service goes on without this command.");
  const progress = await openProgress(options);
  let last: ReadonlyMap<string, Upload> = new Map();
  try {
    for await (const { changed, all } of followUploads(connection, ids)) {
      last = all;
      onChange(changed);
      progress.show([...all.values()].map(barOf), lineOf(changed));
    }
  } finally {
    progress.end();
  }
  return ids.flatMap((id) => last.get(id) ?? []);
}

function barOf(upload: Upload): string {
  const { progress, status, uploadSpeed } = upload;
  const state =
    status !== "processing" || uploadSpeed === null ? status : `${formatBytes(uploadSpeed)}/s`;
  return `${bar(progress)} ${Math.floor(progress)} % ${state} ${titleOf(upload)}`;
}

/** @throws {CommandError} if one failed or was cancelled */
export function failUnlessCompleted(uploads: readonly Upload[]): void {
  const missed = uploads.filter(({ status }) => status !== "completed");
  if (missed.length > 0)
    throw new CommandError(
      EXIT_CODES.failed,
      `${missed.length} of ${uploads.length} uploads did not complete.`,
    );
}

/** An id may be shortened as far as it is unique. */
async function completeId(connection: Connection, id: string): Promise<string> {
  return (await call(connection, getUpload, { params: { id } })).id;
}

/** Each id on its own; the first failure decides the exit code. */
export async function change(
  kind: "retry" | "cancel",
  ids: readonly string[],
  options: Json,
): Promise<void> {
  const connection = await readConnection();
  const made = kind === "retry" ? retryUpload : cancelUpload;
  const { done, failure } = await tryEach(
    ids,
    async (id) => call(connection, made, { params: { id: await completeId(connection, id) } }),
    (id) => id,
  );
  print(options, done, () => done.map(lineOf));
  if (failure !== null) throw failure;
}
