import * as z from "zod/mini";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { ApiError } from "#service/api-error.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { interruptEach } from "#service/jobs/jobs.ts";
import { RULE_BLOCK } from "./rule-permission.ts";

/**
 * Whether an archive may be copied. One by a rule asks what its start asked (rule-permission.ts).
 * Another is paused while its owner's consent is withdrawn: if it began on that, or on the sign-in,
 * until the owner agrees again; and if it began before, on the word of somebody who may not have
 * known of the owner's wish. A withdrawal takes the lease of its runner. A pause is no state of its
 * own; what is stored so far stays, so that the archive can continue.
 */

/** Shown as long as the pause lasts. */
const PAUSED =
  "The channel's owner has withdrawn consent. The archive is paused, and continues if the owner agrees again.";

/** Condition on `uploads` of people: their owner's consent allows it. As RULE_BLOCK leaves it its columns. */
const ownerAllows = sql`((rights <> 'owner_signed_in' OR owner_id IN (
    SELECT c.owner_id FROM consents c WHERE c.withdrawn_at IS NULL))
  AND (kind <> 'twitch' OR NOT EXISTS (
    SELECT 1 FROM (SELECT owner_id AS of_owner, withdrawn_at FROM consents) AS c
    WHERE c.of_owner = owner_id AND c.withdrawn_at >= created_at)))`;

/** Condition on `uploads`: a runner may take it, and a failed one be tried again. */
export const mayCopy = sql`CASE WHEN by_rule AND status <> 'completed' THEN ${RULE_BLOCK} IS NULL
  ELSE ${ownerAllows} END`;

/** Condition on `jobs` whose key is an upload's id. */
export const mayCopyOfJob = sql`NOT EXISTS (SELECT 1 FROM uploads
  WHERE id = jobs.key AND NOT ${mayCopy})`;

/** Why an administrator's request to copy again is refused; null if {@link mayCopy}. */
export async function findConsentRefusal(
  database: Pick<Database, "all">,
  uploadId: string,
): Promise<ApiError | null> {
  const [row] = await database.all(sql`
    SELECT iif(by_rule AND status <> 'completed', ${RULE_BLOCK}, NULL) AS reason
    FROM uploads WHERE id = ${uploadId} AND NOT ${mayCopy}`);
  const ofOwner =
    "The channel's owner has not agreed to archiving, or has withdrawn consent. Invite the owner, or archive the VOD again with your own confirmation of the rights.";
  return row === undefined ? null : new ApiError("conflict", String(row["reason"] ?? ofOwner));
}

/**
 * For the batch of the withdrawal. The first result has the rows of the paused uploads, for
 * {@link changedUploads}.
 */
export function pauseArchives(
  ownerId: string,
  nowMs: number,
): readonly [Statement, ...Statement[]] {
  return [
    sql`UPDATE uploads SET phase = CASE status WHEN 'processing' THEN 'waiting' END,
        epoch = epoch + 1, version = version + 1, lease_owner = NULL, lease_until = NULL,
        failure_class = NULL, error_message = ${PAUSED}, stalled_at = NULL, stall_reason = NULL,
        updated_at = ${nowMs}
      WHERE owner_id = ${ownerId} AND kind = 'twitch' AND status IN ('pending', 'processing')
      RETURNING id`,
    interruptEach(
      "chat",
      sql`SELECT id FROM uploads WHERE owner_id = ${ownerId} AND kind = 'twitch'`,
    ),
  ];
}

/** For the batch of a new consent: the next sweep continues the archives. Returns their rows. */
export function continueArchives(ownerId: string, nowMs: number): Statement {
  return sql`UPDATE uploads SET error_message = NULL, next_attempt_at = NULL,
      version = version + 1, updated_at = ${nowMs}
    WHERE owner_id = ${ownerId} AND kind = 'twitch' AND status IN ('pending', 'processing')
      AND error_message = ${PAUSED}
    RETURNING id`;
}

const changedRow = z.object({ id: uploadIdSchema });

export function changedUploads(rows: readonly Row[] | undefined): readonly UploadId[] {
  return (rows ?? []).map((row) => changedRow.parse(row).id);
}
