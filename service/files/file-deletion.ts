import * as z from "zod/mini";
import type { ChosenFile, ObjectKey } from "#contract/files.ts";
import { uploadStatusSchema } from "#contract/uploads.ts";
import { sidecarKeys } from "#service/archiver/object-keys.ts";
import { carryOutRemovals, planRemoval } from "#service/archiver/store-removals.ts";
import { auditEntryIfChanged } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { Failure } from "#service/failure.ts";
import type { Statement } from "#service/platform.ts";
import { manualManifestKey } from "#service/uploads/manual-keys.ts";
import { publishUpload } from "#service/uploads/upload-events.ts";
import { ownerOfKey } from "./key-owner.ts";

const uploadRow = z.object({
  status: uploadStatusSchema,
  multipart_id: z.nullable(z.string()),
});

export type DeletedBy = { readonly actorId: string; readonly requestId: string };

/** @throws {Failure} not_found, or conflict while the file's upload runs */
export async function deleteStoredFile(
  context: ServiceContext,
  key: ObjectKey,
  by: DeletedBy,
): Promise<{ size: number }> {
  const deleted = await deleteRow(context, key, by);
  await removeNow(context);
  return deleted;
}

/**
 * Deletes files that were chosen from a list, one after the other, each only if it still is what it
 * was then: what was an unfinished part may have become a whole file. Answers why a file stays.
 */
export async function deleteChosenFiles(
  context: ServiceContext,
  files: readonly ChosenFile[],
  by: DeletedBy,
): Promise<ReadonlyMap<ObjectKey, { readonly size: number } | Failure>> {
  const outcomes = new Map<ObjectKey, { readonly size: number } | Failure>();
  for (const file of files) {
    if (outcomes.has(file.key)) continue;
    try {
      outcomes.set(file.key, await deleteRow(context, file.key, by, file));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      outcomes.set(file.key, error);
    }
  }
  await removeNow(context);
  return outcomes;
}

/**
 * Deletes one stored file with what lies beside it: exactly these keys, never a prefix. Its row
 * goes in one batch with the note that the store has to remove the bytes; the store is asked soon,
 * and again by every sweep until it confirms.
 */
async function deleteRow(
  context: ServiceContext,
  key: ObjectKey,
  by: DeletedBy,
  chosen?: ChosenFile,
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
  const mayGo = sql`EXISTS (SELECT 1 FROM files f WHERE f.object_key = ${key}
    AND ${isStill(chosen)} AND NOT EXISTS (
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
  if (results[guarded.length]?.changes === 0) throw await refusal(context, key, chosen);
  if (uploadId !== null) await publishUpload(context.platform, String(uploadId));
  return { size: Number(file.size_bytes) };
}

function isStill(chosen: ChosenFile | undefined): Statement {
  return chosen === undefined
    ? sql`TRUE`
    : sql`f.size_bytes = ${chosen.size} AND f.status = ${chosen.status}`;
}

/** What lies beside the object and has no row of its own. */
function sidecarsOf(key: ObjectKey): readonly ObjectKey[] {
  const owner = ownerOfKey(key);
  if (owner === null || owner.isSidecar) return [];
  return owner.uploadType === "manual" ? [manualManifestKey(owner)] : sidecarKeys(key);
}

async function refusal(
  { platform }: ServiceContext,
  key: string,
  chosen: ChosenFile | undefined,
): Promise<Failure> {
  const [file] = await platform.database.all(
    sql`SELECT ${isStill(chosen)} AS is_still FROM files f WHERE f.object_key = ${key}`,
  );
  if (file === undefined) return new Failure("not_found", "There is no such file.");
  return file.is_still === 0
    ? new Failure("conflict", "This file has changed since it was selected. Look at it again.")
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
