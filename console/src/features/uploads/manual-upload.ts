import { siteStore } from "#console/lib/browser-storage.ts";
import { unsentFiles } from "#console/lib/unsent-files.ts";
import { toast } from "#console/ui/toast-store.ts";
import { createStore, useSelector } from "@tanstack/react-store";
import type { Upload } from "tus-js-client";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { askBeforeLeaving } from "#console/lib/ask-before-leaving.ts";
import { openTusUpload } from "./tus-upload.ts";
import { sendFrame } from "./video-frame.ts";

/**
 * Uploads from this browser. They live outside the screens, so that navigation stops nothing. A
 * file is **queued** while {@link MAX_AT_ONCE} others are sent, **sending** until all of it is
 * stored, **waiting** while the server is unreachable, **paused** by the user; **sent**, **failed**
 * and **cancelled** are final. The server then proves it, which the uploads list shows.
 *
 * The upload's address is stored in this browser: after a reload, choosing the same file again resumes
 * it.
 */
export type ManualUpload = {
  readonly key: string;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly phase: "queued" | "sending" | "waiting" | "paused" | "sent" | "failed" | "cancelled";
  readonly error: string | null;
  /** Set once the server has all bytes. */
  readonly uploadId: UploadId | null;
};

/** Of the six connections that a browser has for a server over HTTP/1.1, most stay free. */
const MAX_AT_ONCE = 2;

/** Of the names of stored addresses and of the locks of files. */
const PREFIX = "vodkeep_manual_upload:";

type Job = {
  readonly file: File;
  url: string | null;
  upload: Upload | null;
  /** Held from the first attempt until the file is sent or cancelled. */
  lock: Promise<Unlock | null> | null;
  /** Counts attempts, of which the last one counts. */
  turn: number;
};

type Unlock = () => void;

const uploads = createStore<readonly ManualUpload[]>([]);
const jobs = new Map<string, Job>();

export function useManualUploads(): readonly ManualUpload[] {
  return useSelector(uploads);
}

/** Sends a file, resuming where it stopped; does nothing if it is already being sent. */
export function startManualUpload(file: File): void {
  const key = `${file.name}:${file.size}:${file.lastModified}`;
  if (isRunning(key)) return;
  const url = jobs.get(key)?.url ?? siteStore.getItem(PREFIX + key);
  const job: Job = { file, url, upload: null, lock: jobs.get(key)?.lock ?? null, turn: 0 };
  jobs.set(key, job);
  const fresh: ManualUpload = {
    key,
    filename: file.name,
    sizeBytes: file.size,
    storedBytes: 0,
    phase: "queued",
    error: null,
    uploadId: null,
  };
  set([...uploads.state.filter((upload) => upload.key !== key), fresh]);
}

export function pauseManualUpload(key: string): void {
  change(key, { phase: "paused" });
  void jobs.get(key)?.upload?.abort();
}

export function resumeManualUpload(key: string): void {
  change(key, { phase: "queued", error: null });
}

export async function cancelManualUpload(key: string): Promise<void> {
  change(key, { phase: "cancelled" });
  forget(key);
  unlockFile(jobs.get(key));
  await jobs
    .get(key)
    ?.upload?.abort(true)
    .catch((error: unknown) =>
      change(key, {
        phase: "failed",
        error: error instanceof Error ? error.message : "Unknown error occurred",
      }),
    );
}

/** Removes an ended upload from the list. */
export function dismissManualUpload(key: string): void {
  jobs.delete(key);
  set(uploads.state.filter((upload) => upload.key !== key));
}

/** Sends the next queued file if there is a place. Each change of the list comes here again. */
function fillPlace(): void {
  const sending = uploads.state.filter(({ key, phase }) => phase !== "queued" && isRunning(key));
  const next = uploads.state.find(({ phase }) => phase === "queued");
  if (next === undefined || sending.length >= MAX_AT_ONCE) return;
  const job = jobs.get(next.key);
  if (job === undefined) return;
  change(next.key, { phase: "sending" });
  void sendAlone(next.key, job);
}

/** Two tabs that send one file would interrupt each other's requests. */
async function sendAlone(key: string, job: Job): Promise<void> {
  const turn = (job.turn += 1);
  job.lock ??= lockFile(key);
  const unlock = await job.lock;
  if (unlock === null) job.lock = null;
  // Paused, cancelled or resumed meanwhile.
  if (turn !== job.turn || !isRunning(key)) return;
  if (unlock === null)
    change(key, { phase: "failed", error: "This file is being sent in another tab." });
  else send(key, job);
}

/** Null if another tab has the file. Pages over http from another machine lack Web Locks. */
async function lockFile(key: string): Promise<Unlock | null> {
  if (!isSecureContext) return () => undefined;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  return await new Promise((resolve) => {
    navigator.locks
      .request(PREFIX + key, { ifAvailable: true }, (lock) => {
        resolve(lock && release);
        return lock && released;
      })
      // A browser that blocks site data refuses locks, too.
      .catch(() => resolve(release));
  });
}

function unlockFile(job: Job | undefined): void {
  void job?.lock?.then((unlock) => unlock?.());
  if (job !== undefined) job.lock = null;
}

function send(key: string, job: Job): void {
  const { file } = job;
  job.upload = openTusUpload(file, job.url, {
    onAddress(url) {
      job.url = url;
      siteStore.setItem(PREFIX + key, url);
    },
    onSending: () => report(key, { phase: "sending", error: null }),
    onStored: (storedBytes) => report(key, { storedBytes }),
    onWaiting: (error) => report(key, { phase: "waiting", error }),
    onSent: () => void finish(key, job),
    onGone() {
      job.url = null;
      forget(key);
      send(key, job);
    },
    onFailed(error) {
      if (isRunning(key)) toast.error(`${file.name} was not sent. ${error}`);
      report(key, { phase: "failed", error });
    },
  });
  job.upload.start();
}

async function finish(key: string, job: Job): Promise<void> {
  if (!isRunning(key)) return;
  const { file, url } = job;
  forget(key);
  unlockFile(job);
  const uploadId = uploadIdSchema.safeParse(url?.split("/").at(-1)).data ?? null;
  change(key, { phase: "sent", storedBytes: file.size, uploadId });
  toast.success(`${file.name} was sent, and is being verified`);
  if (uploadId !== null) await sendFrame(uploadId, file);
}

function forget(key: string): void {
  siteStore.removeItem(PREFIX + key);
}

function isRunning(key: string): boolean {
  const phase = uploads.state.find((upload) => upload.key === key)?.phase;
  return phase === "queued" || phase === "sending" || phase === "waiting";
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
  const isSending = next.some(({ key }) => isRunning(key));
  if (isSending) addEventListener("beforeunload", askBeforeLeaving);
  else removeEventListener("beforeunload", askBeforeLeaving);
  const unsent = next.filter(({ phase }) => phase !== "sent" && phase !== "cancelled");
  const storedBytes = unsent.reduce((sum, each) => sum + each.storedBytes, 0);
  const sizeBytes = unsent.reduce((sum, each) => sum + each.sizeBytes, 0);
  const percent = Math.floor((storedBytes / Math.max(1, sizeBytes)) * 100);
  unsentFiles.setState(() => ({ count: unsent.length, percent, isRunning: isSending }));
  fillPlace();
}
