import * as z from "zod/mini";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Row, Statement } from "#service/ports/database.ts";
import { removeUnrecordedPiece } from "./chat-record.ts";

/**
 * An owner who withdraws consent pauses the archives that rest on it: their runners lose the
 * lease, and no runner takes them before the owner agrees again. A pause is no state of its own;
 * what is stored so far stays, so that the archive can continue.
 */

/** Shown as long as the pause lasts, and by which the end of the pause finds the archive. */
const PAUSED =
  "The channel's owner has withdrawn consent. The archive is paused, and continues if the owner agrees again.";

/** Condition on `uploads` for an archive that began on its owner's consent. */
const restsOnConsent = sql`rights = 'owner_signed_in'`;

const withdrawnOwners = sql`SELECT c.owner_id FROM consents c WHERE c.withdrawn_at IS NOT NULL`;

/** Condition on `uploads`. */
export const isNotPaused = sql`(NOT ${restsOnConsent} OR owner_id NOT IN (${withdrawnOwners}))`;

/** Condition on `chats`. */
export const isChatNotPaused = sql`NOT EXISTS (SELECT 1 FROM uploads u
  WHERE u.id = chats.upload_id AND u.rights = 'owner_signed_in' AND u.owner_id IN (${withdrawnOwners}))`;

/**
 * Condition on `uploads` for one that may be tried again. An archive whose owner had only signed in
 * is like one whose owner has withdrawn: a new one can be started on an administrator's
 * confirmation.
 */
export const mayBeRetried = sql`(NOT ${restsOnConsent} OR EXISTS (SELECT 1 FROM consents c
  WHERE c.owner_id = uploads.owner_id AND c.withdrawn_at IS NULL))`;

/**
 * For the batch of the withdrawal. The first result has the rows of the paused uploads, for
 * {@link changedUploads}.
 */
export function pauseArchives(
  ownerId: string,
  nowMs: number,
): readonly [Statement, ...Statement[]] {
  const ofOwner = sql`upload_id IN (SELECT id FROM uploads
    WHERE owner_id = ${ownerId} AND ${restsOnConsent}) AND state = 'reading'`;
  return [
    sql`UPDATE uploads SET phase = CASE status WHEN 'processing' THEN 'waiting' END,
        epoch = epoch + 1, version = version + 1, lease_owner = NULL, lease_until = NULL,
        failure_class = NULL, error_message = ${PAUSED}, stalled_at = NULL, stall_reason = NULL,
        updated_at = ${nowMs}
      WHERE owner_id = ${ownerId} AND ${restsOnConsent} AND status IN ('pending', 'processing')
      RETURNING id`,
    removeUnrecordedPiece(ofOwner, nowMs),
    sql`UPDATE chats SET epoch = epoch + 1, lease_owner = NULL, lease_until = NULL WHERE ${ofOwner}`,
  ];
}

/** For the batch of a new consent: the next sweep continues the archives. Returns their rows. */
export function continueArchives(ownerId: string, nowMs: number): Statement {
  return sql`UPDATE uploads SET error_message = NULL, next_attempt_at = NULL,
      version = version + 1, updated_at = ${nowMs}
    WHERE owner_id = ${ownerId} AND status IN ('pending', 'processing')
      AND error_message = ${PAUSED}
    RETURNING id`;
}

const changedRow = z.object({ id: uploadIdSchema });

export function changedUploads(rows: readonly Row[] | undefined): readonly UploadId[] {
  return (rows ?? []).map((row) => changedRow.parse(row).id);
}
