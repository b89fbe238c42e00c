import { recordFailure, recordWait } from "#service/archiver/archive-finish.ts";
import {
  ArchiveFailed,
  LeaseLost,
  PartsLost,
  StartOver,
  TryLater,
} from "#service/archiver/run-end.ts";
import { planRemoval } from "#service/archiver/store-removals.ts";
import { renewLease, RENEW_EVERY_MS, type UploadLease } from "#service/archiver/upload-lease.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { Failure } from "#service/failure.ts";
import { noRoom } from "#service/space/disk-space.ts";
import { createBodyMemory } from "./body-memory.ts";
import { manualManifestKey, manualObjectKey } from "./manual-keys.ts";
import { releaseManualLease, takeManualLease } from "./manual-lease.ts";
import { createManualProgress } from "./manual-progress.ts";
import { proveManualUpload, recordLostParts } from "./manual-proof.ts";
import { receiveBytes } from "./manual-reception.ts";
import { findManualUpload, type ManualRow } from "./manual-row.ts";
import { expireManualUploads, flagSilentUploads, provableUploads } from "./manual-sweep.ts";
import { hex, type Checksum } from "./tus-headers.ts";
import { publishUpload } from "./upload-events.ts";

/**
 * Manual uploads between their requests. An upload is **pending** until its first byte and then
 * **processing**: while a request brings bytes, while it waits for the next one, and while the
 * store proves the whole. It is **failed** when its client stayed away for a day or the store has
 * lost bytes; after a retry the client goes on, or the proof is made again when all bytes are here.
 *
 * A request or proof learns that its upload was cancelled or deleted when it next renews its lease,
 * so that no subscription has to outlive a request.
 */
export type ManualUploads = {
  /** Ends a request of this upload that this process still serves, keeping what it brought. */
  interrupt(uploadId: string): Promise<void>;
  /**
   * Appends a request's bytes and answers the upload's new offset.
   * @throws {Failure} conflict when the offset is another or another host has the upload
   */
  append(upload: ManualRow, bytes: Appended): Promise<number>;
  /** Proves one upload if that is due; for wake-ups and after retries. */
  consume(uploadId: string): Promise<void>;
  /** Wakes what is due, ends what has expired, flags what is silent. Call every few seconds. */
  sweep(): Promise<void>;
  /** Ends all requests and proofs; what came is kept. */
  drain(): Promise<void>;
};

export type Appended = {
  readonly offset: number;
  readonly body: ReadableStream<Uint8Array>;
  readonly bodyBytes: number | null;
  readonly checksum: Checksum | null;
};

/** Late answers of the store to a request that was cut off have come by then. */
const LAST_REQUEST_MS = 10_000;

type Active = { readonly control: AbortController; readonly ended: Promise<unknown> };

export function createManualUploads(context: ServiceContext): ManualUploads {
  const { platform, log } = context;
  const { clock, database } = platform;
  const owner = `${platform.runtime.host}-${hex(platform.random.bytes(8))}`;
  const active = new Map<string, Active>();
  const memory = createBodyMemory(clock, platform.runtime.bodyBufferBytes);

  /** One request or proof of an upload at a time in this process; the newer one ends the older. */
  async function alone<T>(
    uploadId: string,
    work: (control: AbortController) => Promise<T>,
  ): Promise<T> {
    // Nothing is awaited between the last look and the entry, so that two cannot both be first.
    while (active.has(uploadId)) await interrupt(uploadId);
    const control = new AbortController();
    const running = work(control);
    const entry: Active = { control, ended: running.catch(() => undefined) };
    active.set(uploadId, entry);
    try {
      return await running;
    } finally {
      if (active.get(uploadId) === entry) active.delete(uploadId);
    }
  }

  async function interrupt(uploadId: string): Promise<void> {
    for (let entry = active.get(uploadId); entry !== undefined; entry = active.get(uploadId)) {
      entry.control.abort(new LeaseLost("A newer request goes on"));
      await entry.ended;
      if (active.get(uploadId) === entry) active.delete(uploadId);
    }
  }

  async function append(upload: ManualRow, bytes: Appended): Promise<number> {
    const after = await alone(upload.id, async (control) => {
      const lease = await takeManualLease(platform, owner, upload, bytes.offset, "copying");
      if (lease === null) throw await otherOffset(upload.id, bytes.offset);
      const current = (await findManualUpload(database, upload.id)) ?? upload;
      const progress = createManualProgress(platform, current, lease);
      const helpers = new AbortController();
      const writing = progress
        .keepWriting(helpers.signal)
        .catch((error: unknown) => control.abort(error));
      try {
        await receiveBytes(context, memory, {
          ...bytes,
          upload: current,
          lease,
          signal: control.signal,
          onBytes: (safeOffset, receivedBytes) => progress.note(safeOffset, receivedBytes),
        });
      } catch (error) {
        if (error instanceof StartOver) await recordLostParts(context, current, lease, error);
        if (error instanceof ArchiveFailed) await recordFailure({ context, lease }, current, error);
        throw asRefusal(error);
      } finally {
        helpers.abort();
        await writing;
        await release(current, lease);
      }
      return await findManualUpload(database, upload.id);
    });
    if (after === null) throw gone();
    // Only now: a wake-up passes over an upload that a request still works on.
    if (after.offset === after.length) await platform.queue.send({ uploadId: upload.id });
    return after.offset;
  }

  /** Whatever happened, the next request may come at once. */
  async function release(upload: ManualRow, lease: UploadLease): Promise<void> {
    const now = await findManualUpload(database, upload.id);
    if (now === null) return;
    await database.batch(releaseManualLease(lease, now, clock.now()));
    await publishUpload(platform, upload.id);
  }

  async function otherOffset(uploadId: string, offset: number): Promise<Failure> {
    const now = await findManualUpload(database, uploadId);
    if (now === null || (now.status !== "pending" && now.status !== "processing")) return gone();
    if (now.offset === offset)
      return new Failure("conflict", "Another request is uploading this file.", { status: 423 });
    return new Failure("conflict", `The next byte due is at offset ${now.offset}.`, {
      headers: { "upload-offset": String(now.offset) },
    });
  }

  async function prove(uploadId: string): Promise<void> {
    const upload = await findManualUpload(database, uploadId);
    if (upload === null || upload.offset !== upload.length || active.has(uploadId)) return;
    await alone(uploadId, async (control) => {
      const lease = await takeManualLease(platform, owner, upload, upload.length, "proving");
      if (lease === null) return;
      await publishUpload(platform, uploadId);
      const helpers = new AbortController();
      const renewing = renew(lease, helpers.signal).catch((error: unknown) => control.abort(error));
      try {
        await proveManualUpload(context, upload, lease, control.signal);
      } catch (error) {
        await recordProofEnd(upload, lease, control.signal.aborted ? control.signal.reason : error);
      } finally {
        helpers.abort();
        await renewing;
      }
    });
  }

  async function renew(lease: UploadLease, signal: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(RENEW_EVERY_MS, signal);
      if (signal.aborted) return;
      await renewLease(platform, lease);
    }
  }

  async function recordProofEnd(
    upload: ManualRow,
    lease: UploadLease,
    error: unknown,
  ): Promise<void> {
    try {
      if (error instanceof LeaseLost) await removeLeftovers(upload);
      else if (error instanceof StartOver || error instanceof PartsLost)
        await recordLostParts(context, upload, lease, error);
      else if (error instanceof ArchiveFailed)
        await recordFailure({ context, lease }, upload, error);
      else if (error instanceof TryLater) await recordWait({ context, lease }, upload, error);
      else {
        log.error("A proof ended by a fault of ours", { uploadId: upload.id, error });
        const reason = new TryLater("ours", "An error of ours interrupted the proof.", {
          cause: error,
        });
        await recordWait({ context, lease }, upload, reason);
      }
    } catch (late) {
      if (!(late instanceof LeaseLost)) throw late;
    }
  }

  /** What this proof wrote after a cancel or a deletion had planned the removals goes as well. */
  async function removeLeftovers(upload: ManualRow): Promise<void> {
    const identity = { ownerId: upload.owner_id, uploadId: upload.id };
    const isUnwanted = sql`NOT EXISTS (SELECT 1 FROM uploads
        WHERE id = ${upload.id} AND status <> 'cancelled')
      AND NOT EXISTS (SELECT 1 FROM files WHERE upload_id = ${upload.id})`;
    const atMs = clock.now() + LAST_REQUEST_MS;
    await database.batch(
      [manualObjectKey(identity, upload.filename), manualManifestKey(identity)].map((key) =>
        planRemoval({ key, multipartId: null }, atMs, isUnwanted),
      ),
    );
  }

  return {
    interrupt,
    append,
    consume: prove,
    async sweep() {
      await expireManualUploads(context);
      await flagSilentUploads(context);
      for (const uploadId of await provableUploads(platform, owner))
        if (!active.has(uploadId)) await platform.queue.send({ uploadId });
    },
    async drain() {
      await Promise.all([...active.keys()].map(interrupt));
    },
  };
}

/** How the archive engine's ends look to the client of one request. */
function asRefusal(error: unknown): unknown {
  if (error instanceof LeaseLost)
    return new Failure("conflict", "This upload was stopped, or goes on in another request.", {
      status: 423,
      cause: error,
    });
  if (error instanceof TryLater && error.culprit === "space")
    return noRoom(error.message, { cause: error });
  const isStores =
    error instanceof TryLater ||
    error instanceof ArchiveFailed ||
    error instanceof StartOver ||
    error instanceof PartsLost;
  if (isStores)
    return new Failure("unavailable", "The store could not take these bytes. Please try again.", {
      retryAfterSec: 5,
      cause: error,
    });
  return error;
}

export function gone(): Failure {
  return new Failure("not_found", "This upload has ended. Start it again.", { status: 410 });
}
