import { ApiError } from "#service/api-error.ts";
import { createRightsWatch } from "#service/auth/rights-watch.ts";
import { mediaTypeOf } from "#service/http/media-type.ts";
import { actorOf, principalOf, type RequestContext } from "#service/http/route.ts";
import { noRoom, requireSpace } from "#service/space/disk-space.ts";
import { LeaseLost } from "#service/storage/lease.ts";
import type { Progress } from "#service/storage/lease-run.ts";
import { ArchiveFailed, StartOver, TryLater } from "#service/storage/run-end.ts";
import { recordFailure } from "#service/storage/run-failure.ts";
import { retryUpload } from "#service/storage/upload-actions.ts";
import type { Turn } from "../active-uploads.ts";
import { releaseManualLease, takeManualLease, type LeasedUpload } from "../lease.ts";
import type { ManualUploads } from "../manual-uploads.ts";
import { createManualProgress } from "../progress.ts";
import { recordLostParts } from "../proof.ts";
import { receiveParts, tooLarge, type RequestBody } from "../receive/receive-parts.ts";
import {
  canContinue,
  expiryHeader,
  findManualUpload,
  gone,
  requireOwnUpload,
  type ManualUpload,
} from "../upload.ts";
import { BODY_TYPE, readChecksum, readInteger, requireVersion } from "./headers.ts";

/**
 * "All PATCH requests MUST use Content-Type: application/offset+octet-stream, otherwise the server
 * SHOULD return a 415 Unsupported Media Type status. … The Upload-Offset header's value MUST be
 * equal to the current offset of the resource. … If the offsets do not match, the Server MUST
 * respond with the 409 Conflict status without modifying the upload resource. … The Server MUST
 * acknowledge successful PATCH requests with the 204 No Content status. It MUST include the
 * Upload-Offset header containing the new offset."
 */
export async function continueUpload(
  manual: ManualUploads,
  id: string | undefined,
  request: RequestContext,
): Promise<Response> {
  const { database, clock } = manual.platform;
  const { headers } = request.request;
  requireVersion(headers);
  if (mediaTypeOf(headers) !== BODY_TYPE)
    throw new ApiError("unsupported_media_type", `Bytes must be ${BODY_TYPE}.`);
  const offset = readInteger(headers, "Upload-Offset");
  if (offset === null) throw new ApiError("invalid_request", "Upload-Offset is missing.");

  let upload = await requireOwnUpload(database, id, request);
  if (!canContinue(upload, clock.now())) throw gone();
  if (upload.status === "failed") {
    await retryUpload(manual, { ...actorOf(request), uploadId: upload.id, atMs: clock.now() });
    upload = await requireOwnUpload(database, id, request);
  }
  if (upload.status === "completed")
    throw new ApiError("conflict", "This upload is complete.", {
      headers: { "upload-offset": String(upload.length) },
    });

  const appended = await appendBody(manual, upload, request, offset);
  return new Response(null, {
    status: 204,
    headers: { "upload-offset": String(appended.offset), ...expiryHeader(appended) },
  });
}

/**
 * Appends the body of a request. It is interrupted if its sender loses the permission; the bytes
 * received so far are kept.
 * @throws {ApiError} for invalid headers, a disk without room, and as {@link appendBytes}
 */
export async function appendBody(
  manual: ManualUploads,
  upload: ManualUpload,
  request: RequestContext,
  offset: number,
): Promise<ManualUpload> {
  const { body, headers } = request.request;
  const sizeBytes = readInteger(headers, "Content-Length");
  await requireSpace(manual, sizeBytes ?? 0);
  const checksum = readChecksum(headers);
  const { sessionId, userId } = principalOf(request);
  const stopping = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  void createRightsWatch(manual)({
    sessionId,
    userId,
    permission: "write:uploads",
    ended,
    breakOff: () => stopping.abort(new LeaseLost("Its sender may no longer upload")),
  });
  try {
    return await appendBytes(manual, upload, {
      senderId: userId,
      offset,
      sizeBytes,
      stream: body ?? new Blob([]).stream(),
      checksum,
      signal: stopping.signal,
    });
  } finally {
    end();
  }
}

/**
 * Buffers are bounded (receive/body-memory.ts), but each body also holds what the connection has
 * received: several MB.
 */
const MAX_BODIES_PER_USER = 24;

/**
 * Appends bytes and returns the upload with its new offset. A newer request ends an older one.
 * @throws {ApiError} conflict when the offset differs or another host has the upload; too_large;
 *   rate_limited when the user sends too many files at once
 */
export async function appendBytes(
  manual: ManualUploads,
  upload: ManualUpload,
  body: RequestBody,
): Promise<ManualUpload> {
  if (body.offset + (body.sizeBytes ?? 0) > upload.length) throw tooLarge();
  const { active } = manual;
  if (!active.has(upload.id) && active.countOf(body.senderId) >= MAX_BODIES_PER_USER)
    throw new ApiError(
      "rate_limited",
      `You are sending ${MAX_BODIES_PER_USER} files already. Wait until one has ended.`,
      { retryAfterSec: 5 },
    );
  const turn = await active.begin(upload.id, body.senderId);
  let appended: ManualUpload;
  try {
    const leased = await takeManualLease(manual, upload, body.offset);
    if (leased === null) throw await whyNotLeased(manual, upload.id, body.offset);
    appended = await appendUnderLease(manual, leased, turn, body);
  } catch (error) {
    throw asRefusal(error);
  } finally {
    turn.end();
  }
  // Only now, because a wake-up skips an upload during a turn.
  if (appended.offset === appended.length)
    await manual.platform.queue.send({ uploadId: upload.id });
  return appended;
}

async function whyNotLeased(
  { platform }: ManualUploads,
  uploadId: string,
  offset: number,
): Promise<ApiError> {
  const upload = await findManualUpload(platform.database, uploadId);
  if (upload === null || !["pending", "processing"].includes(upload.status)) return gone();
  if (upload.offset === offset)
    return new ApiError("conflict", "Another request is uploading this file.", { status: 423 });
  return new ApiError("conflict", `The next byte must be at offset ${upload.offset}.`, {
    headers: { "upload-offset": String(upload.offset) },
  });
}

/** Receives the body while progress is written, which renews the lease, and ends the lease. */
async function appendUnderLease(
  manual: ManualUploads,
  leased: LeasedUpload,
  turn: Turn,
  body: RequestBody,
): Promise<ManualUpload> {
  const progress = createManualProgress(manual.platform, leased);
  const stopping = new AbortController();
  const writing = progress
    .keepWriting(stopping.signal)
    .catch((error: unknown) => turn.abort(error));
  const signal = AbortSignal.any([body.signal, turn.signal]);
  try {
    await receiveParts(manual, leased, progress, { ...body, signal });
  } catch (error) {
    stopping.abort();
    await writing;
    await endFailedRequest(manual, leased, progress, error);
    throw error;
  }
  stopping.abort();
  await writing;
  return await releaseManualLease(manual, leased, progress);
}

/** Fails the upload if it cannot be continued; otherwise the client may send the bytes again. */
async function endFailedRequest(
  manual: ManualUploads,
  leased: LeasedUpload,
  progress: Progress,
  error: unknown,
): Promise<void> {
  const run = { context: manual, lease: leased.lease };
  try {
    if (error instanceof StartOver) await recordLostParts(run, leased.upload, error);
    else if (error instanceof ArchiveFailed) await recordFailure(run, leased.upload, error);
    else await releaseManualLease(manual, leased, progress);
  } catch (lost) {
    if (!(lost instanceof LeaseLost)) throw lost;
  }
}

/** Maps the errors in storage/run-end.ts to the response of a request. */
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
