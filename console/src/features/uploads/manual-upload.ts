import { createStore, useSelector } from "@tanstack/react-store";
import type { Upload } from "tus-js-client";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { askBeforeLeaving } from "#console/lib/ask-before-leaving.ts";
import { openTusUpload } from "./tus-upload.ts";
import { unsentFiles } from "./unsent-files.ts";
import { sendFrame } from "./video-frame.ts";

/**
 * Uploads from this browser. They live outside the screens, so that navigation stops nothing. A
 * file is **sending** until all of it is stored, **waiting** while the server is unreachable,
 * **paused** by the user; **sent**, **failed** and **cancelled** are final. The server then proves
 * it, which the uploads list shows.
 *
 * The upload's address is stored in this browser: after a reload, choosing the same file again resumes
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

const MEMORY_PREFIX = "vodkeep_manual_upload:";

type Job = { readonly file: File; url: string | null; upload: Upload | null };

const uploads = createStore<readonly ManualUpload[]>([]);
const jobs = new Map<string, Job>();

export function useManualUploads(): readonly ManualUpload[] {
  return useSelector(uploads);
}

/** Sends a file, resuming where it stopped; does nothing if it is already being sent. */
export function startManualUpload(file: File): void {
  const key = `${file.name}:${file.size}:${file.lastModified}`;
  if (isRunning(key)) return;
  const url = jobs.get(key)?.url ?? localStorage.getItem(MEMORY_PREFIX + key);
  const job: Job = { file, url, upload: null };
  jobs.set(key, job);
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
  send(key, job);
}

export function pauseManualUpload(key: string): void {
  change(key, { phase: "paused" });
  void jobs.get(key)?.upload?.abort();
}

export function resumeManualUpload(key: string): void {
  const job = jobs.get(key);
  if (job === undefined) return;
  change(key, { phase: "sending", error: null });
  send(key, job);
}

export async function cancelManualUpload(key: string): Promise<void> {
  change(key, { phase: "cancelled" });
  forget(key);
  await jobs
    .get(key)
    ?.upload?.abort(true)
    .catch((error: unknown) => change(key, { phase: "failed", error: messageOf(error) }));
}

/** Removes an ended upload from the list. */
export function dismissManualUpload(key: string): void {
  jobs.delete(key);
  set(uploads.state.filter((upload) => upload.key !== key));
}

function send(key: string, job: Job): void {
  job.upload = openTusUpload(job.file, job.url, {
    onAddress(url) {
      job.url = url;
      localStorage.setItem(MEMORY_PREFIX + key, url);
    },
    onProgress: (sentBytes) => report(key, { phase: "sending", error: null, sentBytes }),
    onWaiting: (error) => report(key, { phase: "waiting", error }),
    onSent: () => void finish(key, job),
    onGone() {
      job.url = null;
      forget(key);
      send(key, job);
    },
    onFailed: (error) => report(key, { phase: "failed", error }),
  });
  job.upload.start();
}

async function finish(key: string, { file, url }: Job): Promise<void> {
  if (!isRunning(key)) return;
  forget(key);
  const uploadId = uploadIdSchema.safeParse(url?.split("/").at(-1)).data ?? null;
  change(key, { phase: "sent", sentBytes: file.size, uploadId });
  if (uploadId !== null) await sendFrame(uploadId, file);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "Unknown error occurred";
}

function forget(key: string): void {
  localStorage.removeItem(MEMORY_PREFIX + key);
}

function isRunning(key: string): boolean {
  const phase = uploads.state.find((upload) => upload.key === key)?.phase;
  return phase === "sending" || phase === "waiting";
}

/** What is reported of an upload that was paused or has ended comes late. */
function report(key: string, next: Partial<ManualUpload>): void {
  if (isRunning(key)) change(key, next);
}

function change(key: string, next: Partial<ManualUpload>): void {
  set(uploads.state.map((upload) => (upload.key === key ? { ...upload, ...next } : upload)));
}

function set(next: readonly ManualUpload[]): void {
  uploads.setState(() => next);
  if (next.some(({ key }) => isRunning(key))) addEventListener("beforeunload", askBeforeLeaving);
  else removeEventListener("beforeunload", askBeforeLeaving);
  const unsent = next.filter(({ phase }) => phase !== "sent" && phase !== "cancelled");
  unsentFiles.setState(() => unsent.length);
}
