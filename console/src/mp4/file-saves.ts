import { useSelector } from "@tanstack/react-store";
import { getFile, type ObjectKey, type StoredFile } from "#contract/files.ts";
import type { TimeRange } from "#contract/upload.ts";
import { fileNameOf, storedRefusal } from "#console/domain/files/file-words.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { startDownload } from "#console/lib/download.ts";
import { mayBecomeMp4 } from "#console/lib/playable.ts";
import { createTransferQueue, type Transfer } from "#console/lib/transfer-queue.ts";
import { unsavedFiles } from "#console/lib/transfers.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { toast } from "#console/ui/toast-store.ts";
import { Mp4Error } from "./mp4-error.ts";
import {
  chooseFile,
  chooseFolder,
  openTarget,
  type SavePlace,
  type SaveTarget,
} from "./save-target.ts";
import { writeInWorker } from "./write-in-worker.ts";

/*
 * Stored files that this browser saves, as they are or as MP4, into a folder that the user chose, into a
 * file, or among the downloads. What does not end as saved leaves no file behind.
 */

/** As MP4: the whole file, or a clip; `at` is where it starts, for its name. */
export type SavedClip = { readonly at: string; readonly span: TimeRange };

type Job = {
  readonly fileKey: ObjectKey;
  readonly asMp4: boolean;
  readonly clip: SavedClip | undefined;
  readonly place: SavePlace;
  target: SaveTarget | null;
  cancel: AbortController;
};

const WHOLE: TimeRange = { startSec: 0, endSec: Infinity };

/** A browser without pickers writes one temporary file at a time. */
const atOnce = () => (window.showSaveFilePicker === undefined ? 1 : 2);

const jobs = new Map<string, Job>();
let added = 0;

const { store, add, change, isRunning, remove } = createTransferQueue(
  atOnce,
  unsavedFiles,
  ({ key, filename }) => {
    const job = jobs.get(key);
    if (job !== undefined) void save(key, job, filename);
  },
  false,
);

export function useFileSaves(): readonly Transfer[] {
  return useSelector(store);
}

/** Asks where to, right after a click: browsers open their pickers only then. */
export async function saveAsMp4(fileKey: ObjectKey, clip?: SavedClip): Promise<void> {
  const file = await call(getFile, { params: { key: fileKey } });
  const refusal = storedRefusal(file);
  if (refusal !== undefined) throw new Mp4Error(refusal);
  const filename = mp4NameOf(file, clip);
  const place = await chooseFile(filename);
  if (place !== null)
    addJob({ filename, sizeBytes: sizeOf(file, clip), fileKey, asMp4: true, clip, place });
}

/** One folder for all; where a browser has no such picker, each goes among its downloads. */
export async function saveSelected(
  files: readonly { readonly key: ObjectKey; readonly name: string; readonly size: number }[],
  asMp4: boolean,
): Promise<void> {
  const place = await chooseFolder();
  if (place === null) return;
  const isOneByOne = place.kind === "downloads";
  if (isOneByOne)
    toast.info("This browser cannot save into a folder: each file goes among your downloads.");
  for (const { key, name, size } of files)
    if (isOneByOne && !asMp4) await downloadStoredFile(key);
    else addJob({ filename: name, sizeBytes: size, fileKey: key, asMp4, clip: undefined, place });
}

function addJob({
  filename,
  sizeBytes,
  ...job
}: Pick<Transfer, "filename" | "sizeBytes"> & Omit<Job, "target" | "cancel">): void {
  added += 1;
  const key = `save-${added}`;
  jobs.set(key, { ...job, target: null, cancel: new AbortController() });
  add({ key, filename, sizeBytes });
}

export function repeatSave(key: string): void {
  const job = jobs.get(key);
  if (job !== undefined) job.cancel = new AbortController();
  change(key, { phase: "queued", doneBytes: 0 });
}

export function cancelSave(key: string): void {
  const isWriting = store.state.some((each) => each.key === key && each.phase === "running");
  change(key, { phase: "cancelled" });
  jobs.get(key)?.cancel.abort();
  // What is being written gives up by itself, once nothing holds the file.
  if (!isWriting) void giveUp(key);
}

export function removeSave(key: string): void {
  void giveUp(key);
  jobs.delete(key);
  remove(key);
}

/** Of a file among the downloads, the copy that the browser has taken by now. */
async function giveUp(key: string): Promise<void> {
  const job = jobs.get(key);
  const target = job?.target;
  if (job !== undefined) job.target = null;
  await target?.discard();
}

async function save(key: string, job: Job, shown: string): Promise<void> {
  const { fileKey, clip, place, cancel } = job;
  try {
    const file = await call(getFile, { params: { key: fileKey }, query: { download: true } });
    const refusal = storedRefusal(file);
    if (refusal !== undefined) throw new Mp4Error(refusal);
    // What is an MP4 already is saved as it is.
    const asMp4 = job.asMp4 && (clip !== undefined || mayBecomeMp4(file));
    const name = asMp4 ? mp4NameOf(file, clip) : nameOf(file);
    const target = await openTarget(place, name, sizeOf(file, clip));
    job.target = target;
    cancel.signal.throwIfAborted();
    const order = { file: target.file, isTemporary: target.isTemporary };
    await writeInWorker(
      file,
      { ...order, span: asMp4 ? (clip?.span ?? WHOLE) : null },
      cancel.signal,
      (doneBytes, totalBytes) => {
        if (isRunning(key)) change(key, { doneBytes, sizeBytes: totalBytes });
      },
    );
    await finish(key, job, target, name);
  } catch (error) {
    // A file that the picker made is written again by another try.
    if (cancel.signal.aborted || place.kind !== "file") await giveUp(key);
    if (cancel.signal.aborted) return;
    // A browser says why it does not write a file.
    const isSaid = error instanceof Mp4Error || error instanceof DOMException;
    const reason = isSaid ? error.message : messageOf(error);
    toast.error(`${visibleText(shown)} was not saved. ${reason}`);
    change(key, { phase: "failed", error: reason });
  }
}

async function finish(key: string, job: Job, target: SaveTarget, name: string): Promise<void> {
  const { size } = await target.file.getFile();
  const whole = { filename: name, doneBytes: size, sizeBytes: size };
  if (!target.isTemporary) {
    job.target = null;
    change(key, { ...whole, phase: "done" });
    toast.success(`${visibleText(name)} was saved`);
    return;
  }
  // The address must stay valid until the browser has copied the file: as long as the page.
  startDownload(URL.createObjectURL(await target.file.getFile()), name);
  change(key, {
    ...whole,
    phase: "waiting",
    error:
      "the MP4 file is written, and your browser is saving it among your downloads. Remove it from this list when it has finished: that removes the copy in the browser.",
  });
}

/** An estimate for a clip. */
function sizeOf({ size, durationSec }: StoredFile, clip: SavedClip | undefined): number {
  if (clip === undefined || durationSec === null) return size;
  const { startSec, endSec } = clip.span;
  return Math.ceil((size * (endSec - startSec)) / durationSec);
}

function mp4NameOf(file: StoredFile, clip: SavedClip | undefined): string {
  const stem = nameOf(file).replace(/\.(?:ts|mp4|m4v|mov|mkv|webm)$/i, "");
  return `${stem}${clip === undefined ? "" : ` - ${clip.at}`}.mp4`;
}

/** What can be saved has a name that is safe on every system. */
function nameOf(file: StoredFile): string {
  return file.downloadName ?? fileNameOf(file);
}
