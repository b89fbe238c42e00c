import { useSyncExternalStore } from "react";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { createUpload, readOffset, sendBytes, terminateUpload, TusError } from "./tus-client.ts";
import { setUnsentFiles } from "./unsent-files.ts";

/**
 * Uploads from this browser. They live outside the screens, so that navigation stops nothing. A
 * file is **sending** until all of it is stored, **waiting** while the server is unreachable,
 * **paused** by the user; **sent**, **failed** and **cancelled** are final. The server then proves
 * it, which the uploads list shows.
 *
 * The upload's path is stored in this browser: after a reload, choosing the same file again resumes
 * it.
 */
export type ManualUpload = {
  readonly key: string;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly phase: "sending" | "waiting" | "paused" | "sent" | "failed" | "cancelled";
  readonly error: string | null;
  /** Set once the server has all bytes. */
  readonly uploadId: UploadId | null;
};

/** The most that a pause or lost connection repeats: each request is stored whole or not at all. */
const CHUNK_BYTES = 8 * 1024 * 1024;
const RETRY_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];
const MEMORY_PREFIX = "vodkeep_manual_upload:";

type Job = { readonly file: File; path: string | null; control: AbortController };

let uploads: readonly ManualUpload[] = [];
const jobs = new Map<string, Job>();
const listeners = new Set<() => void>();

export function useManualUploads(): readonly ManualUpload[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );
}

/** Sends a file, resuming where it stopped; does nothing if it is already being sent. */
export function startManualUpload(file: File): void {
  const key = `${file.name}:${file.size}:${file.lastModified}`;
  const known = uploads.find((upload) => upload.key === key);
  if (known !== undefined && (known.phase === "sending" || known.phase === "waiting")) return;
  const path = jobs.get(key)?.path ?? localStorage.getItem(MEMORY_PREFIX + key);
  jobs.set(key, { file, path, control: new AbortController() });
  const fresh: ManualUpload = {
    key,
    filename: file.name,
    sizeBytes: file.size,
    sentBytes: 0,
    phase: "sending",
    error: null,
    uploadId: null,
  };
  set([...uploads.filter((upload) => upload.key !== key), fresh]);
  void run(key);
}

export function pauseManualUpload(key: string): void {
  change(key, { phase: "paused" });
  jobs.get(key)?.control.abort();
}

export function resumeManualUpload(key: string): void {
  const job = jobs.get(key);
  if (job === undefined) return;
  job.control = new AbortController();
  change(key, { phase: "sending", error: null });
  void run(key);
}

export async function cancelManualUpload(key: string): Promise<void> {
  const job = jobs.get(key);
  change(key, { phase: "cancelled" });
  job?.control.abort();
  forget(key);
  if (job?.path === null || job === undefined) return;
  await terminateUpload(job.path).catch((error: unknown) =>
    change(key, { phase: "failed", error: messageOf(error) }),
  );
}

/** Removes an ended upload from the list. */
export function dismissManualUpload(key: string): void {
  jobs.delete(key);
  set(uploads.filter((upload) => upload.key !== key));
}

async function run(key: string): Promise<void> {
  const job = jobs.get(key);
  if (job === undefined) return;
  const { signal } = job.control;
  for (let faults = 0; !signal.aborted;) {
    try {
      await sendAll(key, job, signal, () => {
        faults = 0;
      });
      forget(key);
      const uploadId = uploadIdSchema.safeParse(job.path?.split("/").at(-1)).data ?? null;
      change(key, { phase: "sent", sentBytes: job.file.size, uploadId });
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (isGone(error) && job.path !== null) {
        job.path = null;
        forget(key);
        continue;
      }
      if (!isPassing(error)) {
        change(key, { phase: "failed", error: messageOf(error) });
        return;
      }
      change(key, { phase: "waiting", error: messageOf(error) });
      const asked = error instanceof TusError ? error.retryAfterSec : null;
      await sleep(asked === null ? delayAfter(faults) : asked * 1_000, signal);
      faults += 1;
    }
  }
}

async function sendAll(
  key: string,
  job: Job,
  signal: AbortSignal,
  onProgress: () => void,
): Promise<void> {
  const { file } = job;
  let offset = 0;
  if (job.path === null) {
    job.path = await createUpload(file, signal);
    localStorage.setItem(MEMORY_PREFIX + key, job.path);
  } else {
    offset = await readOffset(job.path, signal);
  }
  while (offset < file.size) {
    const before = offset;
    change(key, { phase: "sending", error: null, sentBytes: before });
    const chunk = file.slice(before, before + CHUNK_BYTES);
    offset = await sendBytes(job.path, before, chunk, signal, (sentBytes) =>
      change(key, { sentBytes: before + sentBytes }),
    );
    onProgress();
  }
}

function delayAfter(faults: number): number {
  return RETRY_DELAYS_MS[Math.min(faults, RETRY_DELAYS_MS.length - 1)] ?? 0;
}

/** The server has ended the upload or never had it: start over. */
function isGone(error: unknown): boolean {
  return error instanceof TusError && (error.status === 404 || error.status === 410);
}

/**
 * Worth a retry: no answer, a server error, a rate limit, or another request that still holds it.
 */
function isPassing(error: unknown): boolean {
  if (!(error instanceof TusError)) return false;
  return error.status === 0 || error.status >= 500 || [409, 423, 429, 460].includes(error.status);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "Unknown error occurred";
}

function forget(key: string): void {
  localStorage.removeItem(MEMORY_PREFIX + key);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A late answer does not revive an ended upload. */
function change(key: string, next: Partial<ManualUpload>): void {
  const isOver = (upload: ManualUpload) =>
    upload.phase === "cancelled" && next.phase !== "failed" && next.phase !== undefined;
  set(
    uploads.map((upload) =>
      upload.key === key && !isOver(upload) ? { ...upload, ...next } : upload,
    ),
  );
}

function set(next: readonly ManualUpload[]): void {
  uploads = next;
  const isBusy = next.some(({ phase }) => phase === "sending" || phase === "waiting");
  if (isBusy) addEventListener("beforeunload", askBeforeLeaving);
  else removeEventListener("beforeunload", askBeforeLeaving);
  setUnsentFiles(next.filter(({ phase }) => phase !== "sent" && phase !== "cancelled").length);
  for (const listener of listeners) listener();
}

/** The browser asks before it closes a page with unsent files. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
