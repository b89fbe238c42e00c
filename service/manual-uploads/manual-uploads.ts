import { ApiError } from "#service/api-error.ts";
import type { ServiceContext } from "#service/context.ts";
import {
  batchUnderLease,
  LeaseLost,
  newLeaseOwner,
  type UploadLease,
} from "#service/storage/lease.ts";
import { runUnderLease } from "#service/storage/lease-run.ts";
import {
  ArchiveFailed,
  recordFailure,
  recordRunEnd,
  StartOver,
  TryLater,
} from "#service/storage/run-outcome.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { noRoom } from "#service/space/disk-space.ts";
import { createBodyMemory } from "./body-memory.ts";
import { releaseManualLease, takeManualLease } from "./manual-lease.ts";
import { createManualProgress } from "./manual-progress.ts";
import { proveManualUpload, recordLostParts } from "./manual-proof.ts";
import { receiveBytes } from "./manual-reception.ts";
import { findManualUpload, gone, type ManualRow } from "./manual-row.ts";
import {
  expireManualUploads,
  flagSilentUploads,
  markWaitingUploads,
  provableUploads,
} from "./manual-sweep.ts";
import type { Appended } from "./receive-body.ts";

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
   * @throws {ApiError} conflict when the offset differs or another host has the upload; too_large
   */
  append(upload: ManualRow, bytes: Appended): Promise<number>;
  /** Proves one upload if it is due; for wake-ups and after retries. */
  consume(uploadId: string): Promise<void>;
  /** Wakes due uploads, expires old ones and flags silent ones. Call every few seconds. */
  sweep(): Promise<void>;
  /** Ends all requests and proofs, keeping the bytes received. */
  drain(): Promise<void>;
};

type Active = { readonly control: AbortController; readonly ended: Promise<unknown> };

export function createManualUploads(context: ServiceContext): ManualUploads {
  const { platform } = context;
  const { clock, database } = platform;
  const owner = newLeaseOwner(platform);
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
      entry.control.abort(new LeaseLost("A newer request continues this upload"));
      await entry.ended;
    }
  }

  async function append(upload: ManualRow, bytes: Appended): Promise<number> {
    if (bytes.offset + (bytes.bodyBytes ?? 0) > upload.length)
      throw new ApiError("too_large", "This is longer than the declared length.");
    const after = await alone(upload.id, async (control) => {
      const lease = await takeManualLease(platform, owner, upload, bytes.offset, "copying");
      if (lease === null) throw await otherOffset(upload.id, bytes.offset);
      const current = (await findManualUpload(database, upload.id)) ?? upload;
      const progress = createManualProgress(platform, current, lease, "copying");
      const ended = new AbortController();
      const writing = progress
        .keepWriting(ended.signal)
        .catch((error: unknown) => control.abort(error));
      try {
        await progress.flush();
        const signal = AbortSignal.any([bytes.signal, control.signal]);
        await receiveBytes({ context, lease, progress }, memory, current, { ...bytes, signal });
      } catch (error) {
        if (error instanceof StartOver) await recordLostParts({ context, lease }, current, error);
        if (error instanceof ArchiveFailed) await recordFailure({ context, lease }, current, error);
        throw asRefusal(error);
      } finally {
        ended.abort();
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
    try {
      await batchUnderLease(database, lease, releaseManualLease(lease, now, clock.now()));
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
    await publishUpload(platform, upload.id);
  }

  async function otherOffset(uploadId: string, offset: number): Promise<ApiError> {
    const now = await findManualUpload(database, uploadId);
    if (now === null || !isOpen(now)) return gone();
    if (now.offset === offset)
      return new ApiError("conflict", "Another request is uploading this file.", { status: 423 });
    return new ApiError("conflict", `The next byte must be at offset ${now.offset}.`, {
      headers: { "upload-offset": String(now.offset) },
    });
  }

  async function prove(uploadId: string): Promise<void> {
    const upload = await findManualUpload(database, uploadId);
    if (upload === null || upload.offset !== upload.length || active.has(uploadId)) return;
    await alone(uploadId, async ({ signal }) => {
      const lease = await takeManualLease(platform, owner, upload, upload.length, "proving");
      if (lease === null) return;
      await publishUpload(platform, uploadId);
      const progress = createManualProgress(platform, upload, lease, "proving");
      try {
        await runUnderLease(clock, { progress, signal, stallAfterMs: Infinity }, (ending) =>
          proveManualUpload({ context, lease, progress, signal: ending }, upload),
        );
      } catch (error) {
        await recordEnd(upload, lease, error);
      }
    });
  }

  async function recordEnd(upload: ManualRow, lease: UploadLease, error: unknown): Promise<void> {
    if (!(error instanceof StartOver)) {
      await recordRunEnd({ context, lease }, upload, error);
      return;
    }
    await recordLostParts({ context, lease }, upload, error).catch((lost: unknown) => {
      if (!(lost instanceof LeaseLost)) throw lost;
    });
  }

  return {
    interrupt,
    append,
    consume: prove,
    async sweep() {
      await expireManualUploads(context);
      await markWaitingUploads(platform, owner);
      await flagSilentUploads(context);
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

/** Maps the errors in storage/run-outcome.ts to the response of a request. */
function asRefusal(error: unknown): unknown {
  if (error instanceof LeaseLost)
    return new ApiError("conflict", "This upload was stopped, or continues in another request.", {
      status: 423,
      cause: error,
    });
  if (error instanceof TryLater && error.origin === "space")
    return noRoom(error.message, { cause: error });
  const isStores =
    error instanceof TryLater || error instanceof ArchiveFailed || error instanceof StartOver;
  if (isStores)
    return new ApiError(
      "unavailable",
      "The store could not accept these bytes. Please try again.",
      {
        retryAfterSec: 5,
        cause: error,
      },
    );
  return error;
}
