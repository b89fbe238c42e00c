import * as z from "zod/mini";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { ApiError } from "#service/api-error.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { removeUnrecordedPiece } from "./chat-record.ts";

/**
 * An archive that began on its owner's consent is paused while that is not in force: a withdrawal
 * takes the lease of its runner, and no runner takes it before the owner agrees again. A pause is no
 * state of its own; what is stored so far stays, so that the archive can continue.
 */

/** Shown as long as the pause lasts. */
const PAUSED =
  "The channel's owner has withdrawn consent. The archive is paused, and continues if the owner agrees again.";

/** Condition on `uploads` for an archive that began on its owner's consent, or on the sign-in. */
const restsOnConsent = sql`rights = 'owner_signed_in'`;

/** Condition on `uploads`: a runner may take it, and a failed one be tried again. */
export const mayCopy = sql`(NOT ${restsOnConsent} OR owner_id IN (
  SELECT c.owner_id FROM consents c WHERE c.withdrawn_at IS NULL))`;

/** Condition on `chats`. */
export const mayCopyChat = sql`EXISTS (SELECT 1 FROM uploads
  WHERE id = chats.upload_id AND ${mayCopy})`;

/** Why an administrator's request to copy again is refused; null if its owner's consent allows it. */
export async function findConsentRefusal(
  database: Pick<Database, "all">,
  uploadId: string,
): Promise<ApiError | null> {
  const [row] = await database.all(sql`
    SELECT 1 FROM uploads WHERE id = ${uploadId} AND NOT ${mayCopy}`);
  return row === undefined
    ? null
    : new ApiError(
        "conflict",
        "The channel's owner has not agreed to archiving, or has withdrawn consent. Invite the owner, or archive the VOD again with your own confirmation of the rights.",
      );
}

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
    WHERE owner_id = ${ownerId} AND ${restsOnConsent} AND status IN ('pending', 'processing')
    RETURNING id`;
}

const changedRow = z.object({ id: uploadIdSchema });

export function changedUploads(rows: readonly Row[] | undefined): readonly UploadId[] {
  return (rows ?? []).map((row) => changedRow.parse(row).id);
}
