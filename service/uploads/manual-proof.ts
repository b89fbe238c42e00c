import { recordFailure } from "#service/archiver/archive-finish.ts";
import { completeAndProve } from "#service/archiver/archive-proof.ts";
import { readCheckpoint, type ConfirmedPart } from "#service/archiver/checkpoint.ts";
import { withStoreRetries } from "#service/archiver/part-writer.ts";
import { ArchiveFailed, StartOver } from "#service/archiver/run-end.ts";
import { planRemoval } from "#service/archiver/store-removals.ts";
import { batchUnderLease, holds, type UploadLease } from "#service/archiver/upload-lease.ts";
import { auditEntryIfChanged } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { notificationEventIfChanged } from "#service/notifications/notification-event.ts";
import type { Statement } from "#service/ports/database.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import { manualManifestKey, manualObjectKey } from "./manual-keys.ts";
import { encodeManualManifest } from "./manual-manifest.ts";
import type { ManualRow } from "./manual-row.ts";
import { SNIFFED_BYTES, sniffMediaType, UNKNOWN_TYPE } from "./media-type.ts";
import { publishUpload } from "./upload-events.ts";

/**
 * The last step of a manual upload that has received all bytes: completes the multipart upload,
 * proves the object and then marks the upload as completed. Safe to repeat after a stop at any
 * point.
 *
 * @throws {LeaseLost} {TryLater} {ArchiveFailed}
 * @throws {StartOver} when the store has lost the parts
 */
export async function proveManualUpload(
  context: ServiceContext,
  upload: ManualRow,
  lease: UploadLease,
  signal: AbortSignal,
): Promise<void> {
  const { platform } = context;
  const parts = await readCheckpoint(platform.database, upload.id);
  const head = await makeObject(context, upload, parts, signal);
  const contentType = await judgeType(context, head, signal);
  const manifestKey = manualManifestKey({ ownerId: upload.owner_id, uploadId: upload.id });
  const owner = await readOwner(context, upload.owner_id);
  const manifest = encodeManualManifest({
    version: 1,
    kind: "manual",
    uploadId: upload.id,
    objectKey: head.key,
    filename: upload.filename,
    contentType,
    owner,
    createdAt: new Date(upload.created_at).toISOString(),
    stored: {
      sizeBytes: head.sizeBytes,
      tag: head.tag,
      tagAlgorithm: platform.objects.partTagAlgorithm,
      partSizeBytes: upload.part_size_bytes,
      partSha256: parts.map((part) => part.sha256),
    },
  });
  await withStoreRetries(platform, signal, () =>
    platform.objects.put(manifestKey, manifest, {
      contentType: "application/json",
      metadata: { uploadId: upload.id },
    }),
  );
  await recordCompletion(context, upload, lease, { head, contentType, manifestKey, parts });
}

async function makeObject(
  { platform }: ServiceContext,
  upload: ManualRow,
  parts: readonly ConfirmedPart[],
  signal: AbortSignal,
): Promise<ObjectHead> {
  const key = manualObjectKey({ ownerId: upload.owner_id, uploadId: upload.id }, upload.filename);
  // A multipart upload needs at least one part.
  if (upload.length === 0)
    return withStoreRetries(platform, signal, () =>
      platform.objects.put(key, new Uint8Array(), {
        contentType: UNKNOWN_TYPE,
        metadata: { uploadId: upload.id, ownerId: upload.owner_id },
      }),
    );
  if (upload.multipart_id === null) throw new StartOver("The parts are not on record");
  return completeAndProve(
    platform,
    {
      handle: { key, multipartId: upload.multipart_id },
      partSizeBytes: upload.part_size_bytes,
    },
    parts,
    signal,
    () => undefined,
  );
}

async function judgeType(
  { platform }: ServiceContext,
  head: ObjectHead,
  signal: AbortSignal,
): Promise<string> {
  const length = Math.min(SNIFFED_BYTES, head.sizeBytes);
  if (length === 0) return UNKNOWN_TYPE;
  const found = await withStoreRetries(platform, signal, () =>
    platform.objects.get(head.key, { offset: 0, length }),
  );
  return sniffMediaType(new Uint8Array(await new Response(found?.body ?? null).arrayBuffer()));
}

async function readOwner(
  { platform }: ServiceContext,
  ownerId: string,
): Promise<{ id: string; login: string; displayName: string }> {
  const [row] = await platform.database.all(
    sql`SELECT login, display_name FROM users WHERE id = ${ownerId}`,
  );
  const login = String(row?.login ?? ownerId);
  return { id: ownerId, login, displayName: String(row?.display_name ?? login) };
}

async function recordCompletion(
  { platform }: ServiceContext,
  upload: ManualRow,
  lease: UploadLease,
  proved: {
    head: ObjectHead;
    contentType: string;
    manifestKey: string;
    parts: readonly ConfirmedPart[];
  },
): Promise<void> {
  const { head, parts } = proved;
  const nowMs = platform.clock.now();
  const isDone = sql`EXISTS (SELECT 1 FROM uploads
    WHERE id = ${upload.id} AND epoch = ${lease.epoch} AND status = 'completed')`;
  await batchUnderLease(platform.database, [
    sql`UPDATE uploads SET status = 'completed', phase = NULL, progress = 100,
        progress_history = json_insert(progress_history, '$[#]',
          json_object('at', ${nowMs}, 'percentage', 100)),
        last_segment = ${parts.length - 1}, last_segment_at = ${nowMs},
        stored_bytes = ${head.sizeBytes}, segments_done = ${parts.length},
        segments_total = ${parts.length}, completed_at = ${nowMs}, object_key = ${head.key},
        manifest_key = ${proved.manifestKey}, multipart_id = NULL, error_message = NULL,
        failure_class = NULL, stalled_at = NULL, stall_reason = NULL, next_attempt_at = NULL,
        speed_bytes_per_sec = NULL, attempts = 0, lease_owner = NULL, lease_until = NULL,
        version = version + 1, updated_at = ${nowMs}
      WHERE ${holds(lease)}`,
    auditEntryIfChanged({
      atMs: nowMs,
      actorId: null,
      action: "upload.complete",
      target: upload.id,
      result: "done",
      after: { sizeBytes: head.sizeBytes, tag: head.tag, contentType: proved.contentType },
    }),
    notificationEventIfChanged(
      {
        type: "upload_completed",
        subject: upload.id,
        title: `Uploaded: ${upload.filename}`,
        body: "Every byte that was sent is stored and proved.",
        link: `/uploads?upload=${upload.id}`,
      },
      nowMs,
    ),
    sql`INSERT INTO files (object_key, upload_id, user_id, filename, size_bytes, upload_type,
        status, content_type, sha256, metadata, last_modified_at)
      SELECT ${head.key}, ${upload.id}, ${upload.owner_id}, ${upload.filename}, ${head.sizeBytes},
        'manual', 'complete', ${proved.contentType},
        ${parts.length === 1 ? (parts[0]?.sha256 ?? null) : null},
        ${JSON.stringify({ tag: head.tag })}, ${nowMs}
      WHERE ${isDone}
      ON CONFLICT (object_key) DO UPDATE SET size_bytes = excluded.size_bytes,
        upload_type = excluded.upload_type, status = excluded.status,
        content_type = excluded.content_type, sha256 = excluded.sha256,
        metadata = excluded.metadata, last_modified_at = excluded.last_modified_at`,
    sql`DELETE FROM upload_parts WHERE upload_id = ${upload.id} AND ${isDone}`,
  ]);
  platform.telemetry?.uploadEnded("manual", "completed");
  await publishUpload(platform, upload.id);
}

/** Fails an upload whose parts the store has lost; after a retry the client starts again. */
export async function recordLostParts(
  context: ServiceContext,
  upload: ManualRow,
  lease: UploadLease,
  reason: StartOver,
): Promise<void> {
  await recordFailure(
    { context, lease },
    upload,
    new ArchiveFailed("storage", `${reason.message}. Please send the file again.`, {
      cause: reason,
    }),
    dropStored(
      upload,
      context.platform.clock.now(),
      sql`EXISTS (SELECT 1 FROM uploads
        WHERE id = ${upload.id} AND epoch = ${lease.epoch} AND status = 'failed')`,
    ),
  );
}

/** Removes everything that an unfinished upload stored, including its checkpoint. */
export function dropStored(
  upload: Pick<ManualRow, "id" | "object_key" | "multipart_id">,
  nowMs: number,
  guard: Statement,
): readonly Statement[] {
  const { id, object_key: key, multipart_id: multipartId } = upload;
  return [
    ...(key === null || multipartId === null
      ? []
      : [planRemoval({ key, multipartId }, nowMs, guard)]),
    sql`INSERT INTO store_removals (object_key, not_before_at)
      SELECT object_key, ${nowMs} FROM upload_tails WHERE upload_id = ${id} AND ${guard}`,
    sql`DELETE FROM upload_tails WHERE upload_id = ${id} AND ${guard}`,
    sql`DELETE FROM upload_parts WHERE upload_id = ${id} AND ${guard}`,
    sql`DELETE FROM files WHERE upload_id = ${id} AND upload_type = 'chunk' AND ${guard}`,
    sql`UPDATE uploads SET multipart_id = NULL, stored_bytes = 0, progress = 0, segments_done = 0
      WHERE id = ${id} AND ${guard}`,
  ];
}
