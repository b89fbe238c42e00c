import { MANUAL_UPLOADS_PATH } from "#contract/manual-uploads.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { ApiError } from "#service/api-error.ts";
import { newToken } from "#service/auth/session-tokens.ts";
import { basePathOf } from "#service/base-path.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { assertBudgetAllows } from "#service/costs/budget-gate.ts";
import { sql } from "#service/db/sql.ts";
import { mediaTypeOf } from "#service/http/media-type.ts";
import { actorOf, type Actor, type RequestContext } from "#service/http/route.ts";
import { choosePartSizeFor } from "#service/storage/multipart.ts";
import { manualObjectKey } from "#service/storage/object-keys.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { insertWithinLimits, manualUploadLimits } from "#service/uploads/upload-limits.ts";
import { EXPIRES_AFTER_MS } from "../lease.ts";
import type { ManualUploads } from "../manual-uploads.ts";
import { canContinue, expiryHeader, findManualUpload, type ManualUpload } from "../upload.ts";
import { appendBody } from "./append.ts";
import {
  BODY_TYPE,
  readChecksum,
  readInteger,
  readLength,
  readMetadata,
  requireVersion,
  type UploadMetadata,
} from "./headers.ts";

/**
 * "The Server MUST acknowledge a successful upload creation with the 201 Created status. The Server
 * MUST set the Location header to the URL of the created resource."
 * "The Client MAY include the entire upload data or a beginning of it … the Server MUST include the
 * Upload-Offset header" (creation-with-upload).
 */
export async function createUpload(
  manual: ManualUploads,
  request: RequestContext,
): Promise<Response> {
  const { headers } = request.request;
  requireVersion(headers);
  const length = readLength(headers);
  const metadata = readMetadata(headers);
  const hasBytes = mediaTypeOf(headers) === BODY_TYPE;
  if (!hasBytes && (readInteger(headers, "Content-Length") ?? 0) > 0)
    throw new ApiError("unsupported_media_type", `First bytes must be ${BODY_TYPE}.`);
  // An invalid one must not leave an upload behind.
  readChecksum(headers);

  let upload = await startManualUpload(manual, { length, metadata }, actorOf(request));
  if (hasBytes)
    upload = await appendBody(manual, upload, request, 0).catch((error: unknown) =>
      keptOf(manual, upload, error),
    );
  else if (length === 0) await manual.platform.queue.send({ uploadId: upload.id });
  return new Response(null, {
    status: 201,
    headers: {
      // Without a host, so that clients that use another host name keep using it.
      location: `${basePathOf(manual.settings.PUBLIC_URL)}${MANUAL_UPLOADS_PATH}/${upload.id}`,
      ...(hasBytes ? { "upload-offset": String(upload.offset) } : {}),
      ...expiryHeader(upload),
    },
  });
}

/**
 * The upload as it is after its first bytes failed. Only the answer to its creation tells the client
 * where it is: with another answer it would create one more, and leave this one behind.
 * @throws `error` if the upload cannot be continued
 */
async function keptOf(
  { platform: { database, clock } }: ManualUploads,
  { id }: ManualUpload,
  error: unknown,
): Promise<ManualUpload> {
  const upload = await findManualUpload(database, id);
  if (upload === null || !canContinue(upload, clock.now())) throw error;
  return upload;
}

/**
 * Records a manual upload before its first byte. Its owner is the sender, who confirms the rights
 * to the file.
 *
 * @throws {ApiError} conflict when the budget is spent; rate_limited with too many unfinished
 *   uploads; unavailable when the disk has no room; unauthenticated when the sender was banned meanwhile
 */
export async function startManualUpload(
  context: ServiceContext,
  file: { readonly length: number; readonly metadata: UploadMetadata },
  actor: Actor,
): Promise<ManualUpload> {
  const { platform, settings } = context;
  const { database, clock, random } = platform;
  await assertBudgetAllows(context);
  const { length, metadata } = file;
  const nowMs = clock.now();
  const id = uploadIdSchema.parse(newToken(random).slice(0, 24));
  const upload: ManualUpload = {
    id,
    kind: "manual",
    vod_id: null,
    owner_id: actor.actorId,
    filename: metadata.filename,
    status: "pending",
    length,
    offset: 0,
    part_size_bytes: choosePartSizeFor(length, platform.runtime),
    multipart_id: null,
    retry_count: 0,
    max_retries: settings.MAX_RETRIES,
    stall_count: 0,
    lost_starts: 0,
    progress_history: [],
    created_at: nowMs,
    expires_at: nowMs + EXPIRES_AFTER_MS,
    upload_metadata: metadata.header,
    object_key: manualObjectKey({ ownerId: actor.actorId, uploadId: id }, metadata.filename),
  };
  const limits = await manualUploadLimits(context, actor.actorId, length);
  await insertWithinLimits(database, actor.actorId, limits, [
    ...recordedChange(
      sql`INSERT INTO uploads (id, kind, filename, owner_id, initiated_by, rights, status,
          source_bytes, source_bytes_estimated, object_key, part_size_bytes, max_retries,
          created_at, updated_at, expires_at, upload_metadata)
        VALUES (${id}, 'manual', ${upload.filename}, ${upload.owner_id}, ${upload.owner_id},
          'administrator_confirmed', 'pending', ${length}, 0, ${upload.object_key},
          ${upload.part_size_bytes}, ${upload.max_retries}, ${nowMs}, ${nowMs},
          ${upload.expires_at}, ${upload.upload_metadata})`,
      nowMs,
      {
        audit: {
          ...actor,
          action: "upload.start",
          target: id,
          after: { filename: upload.filename, sizeBytes: length },
        },
      },
    ),
  ]);
  await publishUpload(platform, id);
  return upload;
}
