import type { UploadId } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import { readCheckpoint, type ConfirmedPart } from "#service/storage/checkpoint.ts";
import { discardParts } from "#service/storage/discard.ts";
import { LeaseLost, type UploadLease } from "#service/storage/lease.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { describeProof, storeManifest } from "#service/storage/manifest.ts";
import { manualManifestKey, manualObjectKey } from "#service/storage/object-keys.ts";
import { runUnderLease } from "#service/storage/lease-run.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { askStore, completeAndProve, type StoreRun } from "#service/storage/multipart.ts";
import { ArchiveFailed, refuseLostStarts, StartOver } from "#service/storage/run-end.ts";
import { recordFailure } from "#service/storage/run-failure.ts";
import { recordCompletion, recordRunEnd } from "#service/storage/run-outcome.ts";
import type { ManualManifest } from "./manifest.ts";
import { takeManualLease } from "./lease.ts";
import type { ManualUploads } from "./manual-uploads.ts";
import { SNIFFED_BYTES, sniffMediaType, UNKNOWN_TYPE } from "./media-type.ts";
import { createManualProgress } from "./progress.ts";
import { findManualUpload, type ManualUpload } from "./upload.ts";

type ProofRun = StoreRun & { readonly lease: UploadLease };
type EndedRun = Pick<ProofRun, "context" | "lease">;

/**
 * Proves an upload that has received all bytes, unless a request or another proof works on it. Call
 * for each wake-up and after retries.
 */
export async function proveManualUpload(manual: ManualUploads, uploadId: string): Promise<void> {
  const { platform, active } = manual;
  const found = await findManualUpload(platform.database, uploadId);
  if (found === null || found.offset !== found.length || active.has(uploadId)) return;
  const turn = await active.begin(uploadId, null);
  try {
    const leased = await takeManualLease(manual, found, found.length);
    if (leased === null) return;
    const { lease, upload } = leased;
    await publishUpload(platform, uploadId);
    const progress = createManualProgress(platform, leased);
    const supervision = { progress, signal: turn.signal, stallAfterMs: Infinity };
    try {
      await runUnderLease(platform.clock, supervision, (signal) =>
        completeUpload({ context: manual, lease, progress, signal }, upload),
      );
    } catch (error) {
      await recordProofEnd({ context: manual, lease }, upload, error);
    }
  } finally {
    turn.end();
  }
}

async function recordProofEnd(run: EndedRun, upload: ManualUpload, error: unknown): Promise<void> {
  if (!(error instanceof StartOver)) {
    await recordRunEnd(run, upload, error);
    return;
  }
  await recordLostParts(run, upload, error).catch((lost: unknown) => {
    if (!(lost instanceof LeaseLost)) throw lost;
  });
}

/**
 * Completes the multipart upload, proves the object and then marks the upload as completed. Safe to
 * repeat after a stop at any point.
 *
 * @throws {LeaseLost} {TryLater} {ArchiveFailed}
 * @throws {StartOver} when the store has lost the parts
 */
async function completeUpload(run: ProofRun, upload: ManualUpload): Promise<void> {
  refuseLostStarts(upload);
  const { platform } = run.context;
  const parts = await readCheckpoint(platform.database, upload.id);
  const head = await makeObject(run, upload, parts);
  const contentType = await detectType(run, head);
  const manifestKey = manualManifestKey({ ownerId: upload.owner_id, uploadId: upload.id });
  const manifest: ManualManifest = {
    version: 1,
    kind: "manual",
    uploadId: upload.id,
    objectKey: head.key,
    filename: upload.filename,
    contentType,
    owner: await readOwner(run.context, upload.owner_id),
    createdAt: new Date(upload.created_at).toISOString(),
    stored: describeProof(run, head, upload.part_size_bytes, parts),
  };
  await storeManifest(run, manifestKey, manifest);
  const nowMs = platform.clock.now();
  await recordCompletion(run, upload, {
    head,
    columns: sql`last_segment = ${parts.length - 1}, last_segment_at = ${nowMs},
      segments_done = ${parts.length}, segments_total = ${parts.length},
      manifest_key = ${manifestKey}`,
    file: sql`INSERT INTO files (object_key, upload_id, user_id, filename, size_bytes, upload_type,
        status, content_type, sha256, metadata, last_modified_at)
      VALUES (${head.key}, ${upload.id}, ${upload.owner_id}, ${upload.filename}, ${head.sizeBytes},
        'manual', 'complete', ${contentType},
        ${parts.length === 1 ? (parts[0]?.sha256 ?? null) : null},
        ${JSON.stringify({ tag: head.tag })}, ${nowMs})
      ON CONFLICT (object_key) DO UPDATE SET size_bytes = excluded.size_bytes,
        upload_type = excluded.upload_type, status = excluded.status,
        content_type = excluded.content_type, sha256 = excluded.sha256,
        metadata = excluded.metadata, last_modified_at = excluded.last_modified_at,
        trashed_at = NULL, trash_until = NULL, trashed_by = NULL`,
    title: `Uploaded: ${upload.filename}`,
    body: "Every byte that was sent is stored and proved.",
  });
}

async function makeObject(
  run: ProofRun,
  upload: ManualUpload,
  parts: readonly ConfirmedPart[],
): Promise<ObjectHead> {
  const key = manualObjectKey({ ownerId: upload.owner_id, uploadId: upload.id }, upload.filename);
  // A multipart upload needs at least one part.
  if (upload.length === 0)
    return askStore(run, (objects) =>
      objects.put(key, new Uint8Array(), {
        contentType: UNKNOWN_TYPE,
        metadata: { uploadId: upload.id, ownerId: upload.owner_id },
      }),
    );
  if (upload.multipart_id === null) throw new StartOver("The parts are not on record");
  return completeAndProve(run, { key, multipartId: upload.multipart_id }, parts);
}

async function detectType(run: ProofRun, head: ObjectHead): Promise<string> {
  const length = Math.min(SNIFFED_BYTES, head.sizeBytes);
  if (length === 0) return UNKNOWN_TYPE;
  const range = { offset: 0, length };
  const start = await askStore(run, (objects) => readStored(objects, head.key, range));
  return start === null ? UNKNOWN_TYPE : sniffMediaType(start);
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

/** Fails an upload whose parts the store has lost; after a retry the client starts again. */
export async function recordLostParts(
  run: EndedRun,
  upload: ManualUpload,
  reason: StartOver,
): Promise<void> {
  const message = `${reason.message}. Please send the file again.`;
  await recordFailure(
    run,
    upload,
    new ArchiveFailed("storage", message, { cause: reason }),
    discardReceived(upload.id, run.context.platform.clock.now()),
  );
}

/** Discards everything that an unfinished upload has received. */
export function discardReceived(uploadId: UploadId, atMs: number): readonly Statement[] {
  return [
    ...discardParts(uploadId, atMs),
    sql`UPDATE uploads SET stored_bytes = 0, progress = 0, segments_done = 0
      WHERE id = ${uploadId}`,
  ];
}
