import * as z from "zod/mini";
import type { ObjectKey } from "#contract/files.ts";
import { uploadStatusSchema } from "#contract/uploads.ts";
import { sidecarKeys } from "#service/archiver/object-keys.ts";
import { carryOutRemovals, planRemoval } from "#service/archiver/store-removals.ts";
import { auditEntryIfChanged } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { Failure } from "#service/failure.ts";
import { manualManifestKey } from "#service/uploads/manual-keys.ts";
import { publishUpload } from "#service/uploads/upload-events.ts";
import { ownerOfKey } from "./key-owner.ts";

const uploadRow = z.object({
  status: uploadStatusSchema,
  multipart_id: z.nullable(z.string()),
});

/**
 * Deletes one stored file with what lies beside it: exactly these keys, never a prefix. Its row
 * goes in one batch with the note that the store has to remove the bytes; the store is asked at
 * once, and again by every sweep until it confirms.
 *
 * @throws {Failure} not_found, or conflict while the file's upload runs
 */
export async function deleteStoredFile(
  context: ServiceContext,
  key: ObjectKey,
  by: { actorId: string; requestId: string },
): Promise<{ size: number }> {
  const { database, clock } = context.platform;
  const [file] = await database.all(
    sql`SELECT size_bytes, upload_id, upload_type FROM files WHERE object_key = ${key}`,
  );
  if (file === undefined) throw new Failure("not_found", "There is no such file.");
  const uploadId = file.upload_id ?? null;
  const [uploadFound] = await database.all(
    sql`SELECT status, multipart_id FROM uploads WHERE id = ${uploadId}`,
  );
  const multipartId =
    uploadFound === undefined || file.upload_type !== "chunk"
      ? null
      : uploadRow.parse(uploadFound).multipart_id;

  const nowMs = clock.now();
  const mayGo = sql`EXISTS (SELECT 1 FROM files f WHERE f.object_key = ${key} AND NOT EXISTS (
    SELECT 1 FROM uploads u WHERE u.id = f.upload_id AND u.status IN ('pending', 'processing')))`;
  const removals = [key, ...sidecarsOf(key)];
  const guarded = [
    ...(multipartId === null ? [] : [planRemoval({ key, multipartId }, nowMs, mayGo)]),
    ...removals.map((removed) => planRemoval({ key: removed, multipartId: null }, nowMs, mayGo)),
    sql`INSERT INTO store_removals (object_key, not_before_at)
      SELECT object_key, ${nowMs} FROM upload_tails WHERE upload_id = ${uploadId} AND ${mayGo}`,
    sql`DELETE FROM upload_tails WHERE upload_id = ${uploadId} AND ${mayGo}`,
    sql`DELETE FROM upload_parts WHERE upload_id = ${uploadId} AND ${mayGo}`,
    // A retry then begins anew: its checkpoint went with the parts.
    sql`UPDATE uploads SET object_key = NULL, playlist_key = NULL, manifest_key = NULL,
        chat_key = NULL, multipart_id = NULL, part_size_bytes = NULL, version = version + 1,
        updated_at = ${nowMs}
      WHERE id = ${uploadId} AND ${mayGo}`,
  ];
  const results = await database.batch([
    ...guarded,
    sql`DELETE FROM files WHERE object_key = ${key} AND ${mayGo}`,
    auditEntryIfChanged({
      at: nowMs,
      actorId: by.actorId,
      action: "file.delete",
      target: key,
      result: "done",
      before: { sizeBytes: file.size_bytes, uploadId },
      requestId: by.requestId,
    }),
  ]);
  if (results[guarded.length]?.changes === 0) throw await refusal(context, key);
  if (uploadId !== null) await publishUpload(context.platform, String(uploadId));
  await removeNow(context);
  return { size: Number(file.size_bytes) };
}

/** What lies beside the object and has no row of its own. */
function sidecarsOf(key: ObjectKey): readonly ObjectKey[] {
  const owner = ownerOfKey(key);
  if (owner === null || owner.isSidecar) return [];
  return owner.uploadType === "manual" ? [manualManifestKey(owner)] : sidecarKeys(key);
}

async function refusal({ platform }: ServiceContext, key: string): Promise<Failure> {
  const [file] = await platform.database.all(sql`SELECT 1 FROM files WHERE object_key = ${key}`);
  return file === undefined
    ? new Failure("not_found", "There is no such file.")
    : new Failure("conflict", "This file's upload is still running. Cancel the upload first.");
}

/** The next sweep does what cannot be done now. */
async function removeNow(context: ServiceContext): Promise<void> {
  try {
    await carryOutRemovals(context);
  } catch (error) {
    context.log.warn("A deleted file's bytes will be removed later", { error });
  }
}
