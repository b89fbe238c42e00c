import { createStore, useSelector } from "@tanstack/react-store";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { sendPersistently } from "./persistent-send.ts";
import { createUpload, readOffset, sendBytes, terminateUpload } from "./tus-client.ts";
import { unsentFiles } from "./unsent-files.ts";
import { sendFrame } from "./video-frame.ts";

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
const MEMORY_PREFIX = "vodkeep_manual_upload:";

type Job = { readonly file: File; path: string | null; control: AbortController };

const uploads = createStore<readonly ManualUpload[]>([]);
const jobs = new Map<string, Job>();

export function useManualUploads(): readonly ManualUpload[] {
  return useSelector(uploads);
}

/** Sends a file, resuming where it stopped; does nothing if it is already being sent. */
export function startManualUpload(file: File): void {
  const key = `${file.name}:${file.size}:${file.lastModified}`;
  const known = uploads.state.find((upload) => upload.key === key);
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
  set([...uploads.state.filter((upload) => upload.key !== key), fresh]);
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
  set(uploads.state.filter((upload) => upload.key !== key));
}

async function run(key: string): Promise<void> {
  const job = jobs.get(key);
  if (job === undefined) return;
  const { signal } = job.control;
  try {
    await sendPersistently(
      {
        send: (onProgress) => sendAll(key, job, signal, onProgress),
        startOver() {
          job.path = null;
          forget(key);
        },
        onWaiting: ({ message }) => change(key, { phase: "waiting", error: message }),
      },
      signal,
    );
  } catch (error) {
    change(key, { phase: "failed", error: messageOf(error) });
    return;
  }
  if (signal.aborted) return;
  forget(key);
  const uploadId = uploadIdSchema.safeParse(job.path?.split("/").at(-1)).data ?? null;
  change(key, { phase: "sent", sentBytes: job.file.size, uploadId });
  if (uploadId !== null) await sendFrame(uploadId, job.file);
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "Unknown error occurred";
}

function forget(key: string): void {
  localStorage.removeItem(MEMORY_PREFIX + key);
}

/** A late answer does not revive an ended upload. */
function change(key: string, next: Partial<ManualUpload>): void {
  const isOver = (upload: ManualUpload) =>
    upload.phase === "cancelled" && next.phase !== "failed" && next.phase !== undefined;
  set(
    uploads.state.map((upload) =>
      upload.key === key && !isOver(upload) ? { ...upload, ...next } : upload,
    ),
  );
}

function set(next: readonly ManualUpload[]): void {
  uploads.setState(() => next);
  const isBusy = next.some(({ phase }) => phase === "sending" || phase === "waiting");
  if (isBusy) addEventListener("beforeunload", askBeforeLeaving);
  else removeEventListener("beforeunload", askBeforeLeaving);
  const unsent = next.filter(({ phase }) => phase !== "sent" && phase !== "cancelled");
  unsentFiles.setState(() => unsent.length);
}

/** The browser asks before it closes a page with unsent files. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
