import { recordFailure, recordWait } from "#service/archiver/archive-finish.ts";
import { ArchiveFailed, LeaseLost, StartOver, TryLater } from "#service/archiver/run-end.ts";
import { planRemoval } from "#service/archiver/store-removals.ts";
import { renewLease, RENEW_EVERY_MS, type UploadLease } from "#service/archiver/upload-lease.ts";
import type { Actor } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { Failure } from "#service/failure.ts";
import { findShortage, noRoom } from "#service/space/disk-space.ts";
import { MAX_MANUAL_UPLOAD_BYTES } from "#contract/manual-uploads.ts";
import { createBodyMemory } from "./body-memory.ts";
import { readComposed } from "./composition.ts";
import { manualManifestKey, manualObjectKey } from "./manual-keys.ts";
import { releaseManualLease, takeManualLease } from "./manual-lease.ts";
import { createManualProgress } from "./manual-progress.ts";
import { proveManualUpload, recordLostParts } from "./manual-proof.ts";
import { receiveBytes } from "./manual-reception.ts";
import { findManualUpload, type ManualRow } from "./manual-row.ts";
import { expireManualUploads, flagSilentUploads, provableUploads } from "./manual-sweep.ts";
import { startManualUpload } from "./manual-start.ts";
import { receiveStaged } from "./staged-reception.ts";
import { findStagedUpload, type StagedRow } from "./staged-row.ts";
import { declareLength, sweepStagedUploads } from "./staged-uploads.ts";
import { hex, type Checksum } from "./tus-headers.ts";
import { publishUpload } from "./upload-events.ts";
import { readQuotaRoom } from "./upload-limits.ts";

/**
 * Manual uploads across their requests. An upload is **pending** until its first byte and then
 * **processing**: while a request sends bytes, while it waits for the next one, and while it is
 * being proved. It has **failed** when its client stayed away for a day or the store has lost
 * bytes. After a retry the client continues, or the proof is repeated if all bytes were received.
 *
 * A request or proof learns that its upload was cancelled or deleted when it next renews its lease,
 * so that no subscription has to outlive a request.
 */
export type ManualUploads = {
  /** Ends a request of this upload in this process, keeping the bytes received. */
  interrupt(uploadId: string): Promise<void>;
  /**
   * Appends a request's bytes and returns the upload's new offset.
   * @throws {Failure} conflict when the offset differs or another host has the upload
   */
  append(upload: ManualRow, bytes: Appended): Promise<number>;
  /**
   * Appends a request's bytes to a staged upload and returns its new offset. A staged upload with a
   * deferred length becomes an upload of the same id once it has all bytes.
   * @throws {Failure} conflict when the offset differs; too_large beyond its length or the quota
   */
  appendStaged(
    staged: StagedRow,
    bytes: Appended,
    by: Actor,
    options: { readonly length: number | null; readonly signal: AbortSignal },
  ): Promise<number>;
  /** Proves one upload if it is due; for wake-ups and after retries. */
  consume(uploadId: string): Promise<void>;
  /** Wakes due uploads, expires old ones and flags silent ones. Call every few seconds. */
  sweep(): Promise<void>;
  /** Ends all requests and proofs, keeping the bytes received. */
  drain(): Promise<void>;
};

export type Appended = {
  readonly offset: number;
  readonly body: ReadableStream<Uint8Array>;
  readonly bodyBytes: number | null;
  readonly checksum: Checksum | null;
};

/** By then the store has answered the last request of an aborted proof. */
const LAST_REQUEST_MS = 10_000;

/** Each holds a piece in memory besides its share of the body memory. */
const MAX_COMPOSITIONS = 2;

type Active = { readonly control: AbortController; readonly ended: Promise<unknown> };

export function createManualUploads(context: ServiceContext): ManualUploads {
  const { platform, log } = context;
  const { clock, database } = platform;
  const owner = `${platform.runtime.host}-${hex(platform.random.bytes(8))}`;
  const active = new Map<string, Active>();
  const memory = createBodyMemory(clock, platform.runtime.bodyBufferBytes);

  /** Runs one request or proof per upload at a time in this process; a newer one ends the older. */
  async function alone<T>(
    uploadId: string,
    work: (control: AbortController) => Promise<T>,
  ): Promise<T> {
    // No await between the check and the entry, so that two calls cannot both pass.
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
    // Only now, because a wake-up skips an upload while a request works on it.
    if (after.offset === after.length) await platform.queue.send({ uploadId: upload.id });
    return after.offset;
  }

  /** Releases the lease after any outcome, so that the next request can start at once. */
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

  async function appendStaged(
    staged: StagedRow,
    bytes: Appended,
    by: Actor,
    { length, signal }: { readonly length: number | null; readonly signal: AbortSignal },
  ): Promise<number> {
    if (bytes.offset !== staged.offset)
      throw new Failure("conflict", `The next byte due is at offset ${staged.offset}.`, {
        headers: { "upload-offset": String(staged.offset) },
      });
    if (length !== null) await declareLength(context, staged, length);
    const known = staged.length ?? length;
    const mostOffset =
      known ??
      Math.min(
        MAX_MANUAL_UPLOAD_BYTES,
        staged.offset + Math.max(0, await readQuotaRoom(context, staged.owner_id)),
      );
    if (bytes.offset + (bytes.bodyBytes ?? 0) > mostOffset)
      throw new Failure("too_large", "This is more than the declared length, or than your quota.");
    try {
      await receiveStaged(context, memory, { ...bytes, staged, mostOffset, signal });
    } catch (error) {
      throw asRefusal(error);
    }
    const after = await findStagedUpload(database, staged.id);
    if (after === null) throw gone();
    if (after.is_partial === 0 && after.upload_id === null && after.offset === after.length) {
      const metadata = { header: after.upload_metadata, filename: after.filename };
      const source = { ids: [after.id], concat: null, uploadId: after.id };
      await startManualUpload(context, { length: after.length, metadata, staged: source }, by);
      await platform.queue.send({ uploadId: after.id });
    }
    return after.offset;
  }

  let compositions = 0;

  /** Appends the staged bytes of an upload, as a client would. Can resume at any offset. */
  async function compose(upload: ManualRow): Promise<void> {
    if (compositions >= MAX_COMPOSITIONS || !isOpen(upload)) return;
    compositions += 1;
    let reason: unknown = null;
    try {
      const shortage = await findShortage(context, 0);
      if (shortage === null) {
        const { offset, length } = upload;
        const body = readComposed(platform, upload, (lost) => (reason = lost));
        await append(upload, { offset, body, bodyBytes: length - offset, checksum: null });
      } else reason = new TryLater("space", shortage);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // Other errors are already recorded, or the upload continues elsewhere.
      if (error.cause instanceof TryLater) reason = error.cause;
    } finally {
      compositions -= 1;
    }
    if (reason !== null) await endComposition(upload.id, reason);
  }

  async function endComposition(uploadId: string, reason: unknown): Promise<void> {
    const upload = await findManualUpload(database, uploadId);
    if (upload === null) return;
    const lease = await takeManualLease(platform, owner, upload, upload.offset, "copying");
    if (lease === null) return;
    await recordProofEnd(upload, lease, reason);
    await publishUpload(platform, uploadId);
  }

  async function prove(uploadId: string): Promise<void> {
    const upload = await findManualUpload(database, uploadId);
    if (upload === null || active.has(uploadId)) return;
    if (upload.staged_ids !== null && upload.offset < upload.length) await compose(upload);
    if (upload.offset !== upload.length) return;
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
      else if (error instanceof StartOver) await recordLostParts(context, upload, lease, error);
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

  /** Removes what this proof wrote after a cancel or a deletion had planned the removals. */
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
    appendStaged,
    consume: prove,
    async sweep() {
      await expireManualUploads(context);
      await flagSilentUploads(context);
      await sweepStagedUploads(context);
      for (const uploadId of await provableUploads(platform, owner))
        if (!active.has(uploadId)) await platform.queue.send({ uploadId });
    },
    async drain() {
      await Promise.all([...active.keys()].map(interrupt));
    },
  };
}

function isOpen({ status }: ManualRow): boolean {
  return status === "pending" || status === "processing";
}

/** Maps the errors in archiver/run-end.ts to the response of a request. */
function asRefusal(error: unknown): unknown {
  if (error instanceof LeaseLost)
    return new Failure("conflict", "This upload was stopped, or goes on in another request.", {
      status: 423,
      cause: error,
    });
  if (error instanceof TryLater && error.culprit === "space")
    return noRoom(error.message, { cause: error });
  const isStores =
    error instanceof TryLater || error instanceof ArchiveFailed || error instanceof StartOver;
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
