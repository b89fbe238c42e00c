import { siteStore } from "#console/lib/browser-storage.ts";
import { createTransferQueue, type Transfer } from "#console/lib/transfer-queue.ts";
import { unsentFiles } from "#console/lib/transfers.ts";
import { toast } from "#console/ui/toast-store.ts";
import { useSelector } from "@tanstack/react-store";
import { uploadIdSchema } from "#contract/ids.ts";
import { openTusUpload } from "./tus-upload.ts";
import { sendFrame } from "./video-frame.ts";

/**
 * Uploads from this browser. The server proves a sent file, which the uploads list shows.
 *
 * The upload's address is stored in this browser: after a reload, choosing the same file again resumes
 * it.
 */

/** Of the six connections that a browser has for a server over HTTP/1.1, most stay free. */
const MAX_AT_ONCE = 2;

/** Of the names of stored addresses and of the locks of files. */
const PREFIX = "vodkeep_manual_upload:";

type Job = {
  readonly file: File;
  url: string | null;
  upload: ReturnType<typeof openTusUpload> | null;
  /** Held from the first attempt until the file is sent or cancelled. */
  lock: Promise<Unlock | null> | null;
  /** Counts attempts, of which the last one counts. */
  turn: number;
};

type Unlock = () => void;

const jobs = new Map<string, Job>();

const { store, add, change, isRunning, remove } = createTransferQueue(
  () => MAX_AT_ONCE,
  unsentFiles,
  ({ key }) => {
    const job = jobs.get(key);
    if (job !== undefined) void sendAlone(key, job);
  },
);

export function useManualUploads(): readonly Transfer[] {
  return useSelector(store);
}

/** Sends a file, resuming where it stopped; does nothing if it is already being sent. */
export function startManualUpload(file: File): void {
  const key = `${file.name}:${file.size}:${file.lastModified}`;
  if (isRunning(key)) return;
  const url = jobs.get(key)?.url ?? siteStore.getItem(PREFIX + key);
  const job: Job = { file, url, upload: null, lock: jobs.get(key)?.lock ?? null, turn: 0 };
  jobs.set(key, job);
  add({ key, filename: file.name, sizeBytes: file.size });
}

export function pauseManualUpload(key: string): void {
  change(key, { phase: "paused" });
  jobs.get(key)?.upload?.stop();
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
    ?.upload?.remove()
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
  remove(key);
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
    onSending: () => report(key, { phase: "running", error: null }),
    onStored: (doneBytes) => report(key, { doneBytes }),
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
  void job.upload.start();
}

async function finish(key: string, job: Job): Promise<void> {
  if (!isRunning(key)) return;
  const { file, url } = job;
  forget(key);
  unlockFile(job);
  const uploadId = uploadIdSchema.safeParse(url?.split("/").at(-1)).data ?? null;
  change(key, { phase: "done", doneBytes: file.size, uploadId });
  toast.success(`${file.name} was sent, and is being verified`);
  if (uploadId !== null) await sendFrame(uploadId, file);
}

function forget(key: string): void {
  siteStore.removeItem(PREFIX + key);
}

/** What is reported of an upload that was paused or has ended comes late. */
function report(key: string, next: Partial<Transfer>): void {
  if (isRunning(key)) change(key, next);
}
