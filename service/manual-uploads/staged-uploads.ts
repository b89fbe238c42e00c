import type { UploadId } from "#contract/ids.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { auditEntryIfChanged } from "#service/audit/audit-entry.ts";
import type { Actor } from "#service/http/route.ts";
import { newToken } from "#service/auth/session-tokens.ts";
import type { ServiceContext } from "#service/context.ts";
import { assertBudgetAllows } from "#service/costs/budget-gate.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import type { Statement } from "#service/ports/database.ts";
import { planPieceRemovals } from "#service/storage/store-removals.ts";
import { EXPIRES_AFTER_MS } from "./manual-lease.ts";
import { findStagedUpload, type StagedRow } from "./staged-row.ts";
import type { UploadMetadata } from "./tus-headers.ts";
import {
  insertWithinLimits,
  manualUploadLimits,
  quotaReached,
  readQuotaRoom,
  RECEIVED_BYTES,
  type UploadLimit,
} from "#service/uploads/upload-limits.ts";

/**
 * Staged uploads: parts of a file that a client sends in parallel, and files of a deferred length.
 * Their bytes are kept as pieces. Once they are complete, they are composed into an ordinary manual
 * upload (composition.ts), which appears in lists.
 */

type NewStagedUpload = {
  readonly isPartial: boolean;
  /** Null if it is deferred. */
  readonly length: number | null;
  readonly metadata: UploadMetadata;
};

/** @throws {ApiError} like {@link startManualUpload} */
export async function startStagedUpload(
  context: ServiceContext,
  { isPartial, length, metadata }: NewStagedUpload,
  by: Actor,
): Promise<StagedRow> {
  const { database, clock, random } = context.platform;
  await assertBudgetAllows(context);
  const id = newToken(random).slice(0, 24);
  const nowMs = clock.now();
  const limits = await manualUploadLimits(context, {
    userId: by.actorId,
    length: length ?? 0,
    isComposed: false,
  });
  await insertWithinLimits(database, by.actorId, limits, (mayInsert) => [
    sql`INSERT INTO staged_uploads (id, owner_id, is_partial, length, filename, upload_metadata,
        expires_at)
      SELECT ${id}, ${by.actorId}, ${isPartial ? 1 : 0}, ${length}, ${metadata.filename},
        ${metadata.header}, ${nowMs + EXPIRES_AFTER_MS}
      WHERE ${mayInsert}`,
    auditEntryIfChanged({
      ...by,
      atMs: nowMs,
      action: "upload.stage",
      target: id,
      after: { filename: metadata.filename, sizeBytes: length, isPartial },
    }),
  ]);
  const staged = await findStagedUpload(database, id);
  if (staged === null) throw new ApiError("conflict", "This upload was deleted immediately.");
  return staged;
}

/**
 * "Once it is known the Client MUST set the Upload-Length header in the next PATCH request. Once set
 * the length MUST NOT be changed."
 * @throws {ApiError} invalid_request when it differs; too_large beyond the sender's quota
 */
export async function declareLength(
  context: ServiceContext,
  staged: StagedRow,
  length: number,
): Promise<void> {
  if (staged.length === length) return;
  if (staged.length !== null || length < staged.offset)
    throw new ApiError("invalid_request", "Upload-Length contradicts what is known of the upload.");
  const newBytes = length - staged.offset;
  if (newBytes > (await readQuotaRoom(context, staged.owner_id))) throw quotaReached(context);
  await context.platform.database.run(sql`
    UPDATE staged_uploads SET length = ${length} WHERE id = ${staged.id} AND length IS NULL`);
}

/** The staged uploads that an upload is composed of. */
export type StagedSource = {
  /** In order. */
  readonly ids: readonly UploadId[];
  /** The Upload-Concat header; null for a file of a deferred length. */
  readonly concat: string | null;
  /** Set if the upload keeps the id that the client already knows. */
  readonly uploadId?: UploadId;
};

export function isComplete({ ids, concat }: StagedSource, userId: string): UploadLimit {
  return {
    holds: sql`(SELECT count(*) FROM staged_uploads s
      WHERE s.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
        AND s.owner_id = ${userId} AND s.upload_id IS NULL AND s.length = ${RECEIVED_BYTES}
        AND s.is_partial = ${concat === null ? 0 : 1}) = ${ids.length}`,
    refusal: () => new ApiError("conflict", "Not all parts of this upload have arrived."),
  };
}

/** For the batch that inserts the upload. */
export function composeFrom({ ids, concat }: StagedSource, uploadId: string): readonly Statement[] {
  const list = JSON.stringify(ids);
  return [
    sql`INSERT INTO composed_uploads (upload_id, staged_ids, upload_concat)
      SELECT id, ${list}, ${concat} FROM uploads WHERE id = ${uploadId}`,
    sql`UPDATE staged_uploads SET upload_id = ${uploadId}
      WHERE id IN (SELECT value FROM json_each(${list}))
        AND EXISTS (SELECT 1 FROM uploads WHERE id = ${uploadId})`,
  ];
}

/** Returns false if it does not exist or is already part of an upload. */
export async function removeStagedUpload(
  { platform }: ServiceContext,
  id: string,
  by: Actor,
): Promise<boolean> {
  const nowMs = platform.clock.now();
  const results = await platform.database.batch([
    ...dropPieces(nowMs, sql`s.id = ${id} AND s.upload_id IS NULL`),
    sql`DELETE FROM staged_uploads WHERE id = ${id} AND upload_id IS NULL`,
    auditEntryIfChanged({
      ...by,
      atMs: nowMs,
      action: "upload.cancel",
      target: id,
    }),
  ]);
  return (results.at(-2)?.changes ?? 0) > 0;
}

/** Rows per sweep, so that none takes long. */
const AT_A_TIME = 50;

/**
 * Removes staged uploads that received nothing for a day, and those whose upload has ended. If that
 * upload has failed, it can be retried until the staged upload expires.
 */
export async function sweepStagedUploads({ platform }: ServiceContext): Promise<void> {
  const { database, clock } = platform;
  const nowMs = clock.now();
  const isOver = sql`CASE WHEN s.upload_id IS NULL THEN s.expires_at <= ${nowMs}
    ELSE NOT EXISTS (SELECT 1 FROM uploads u WHERE u.id = s.upload_id
      AND (u.status IN ('pending', 'processing')
        OR (u.status = 'failed' AND s.expires_at > ${nowMs}))) END`;
  const rows = await database.all(sql`
    SELECT s.id, s.upload_id FROM staged_uploads s WHERE ${isOver} LIMIT ${AT_A_TIME}`);
  for (const row of rows) {
    const id = uploadIdSchema.parse(row.id);
    await database.batch([
      ...dropPieces(nowMs, sql`s.id = ${id} AND ${isOver}`),
      sql`DELETE FROM staged_uploads AS s WHERE s.id = ${id} AND ${isOver}`,
      ...(row.upload_id === null
        ? [
            auditEntryIfChanged({
              atMs: nowMs,
              actorId: null,
              action: "upload.expire",
              target: id,
              reason: "No data arrived for 24 hours. The bytes received so far were removed.",
            }),
          ]
        : []),
    ]);
  }
}

/** `which` is a condition on `staged_uploads s`. */
function dropPieces(nowMs: number, which: Statement): readonly Statement[] {
  const dropped = sql`staged_id IN (SELECT s.id FROM staged_uploads s WHERE ${which})`;
  return planPieceRemovals("staged_pieces", dropped, nowMs);
}
