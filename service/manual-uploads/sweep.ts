import { uploadIdSchema } from "#contract/ids.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { EXPIRES_AFTER_MS } from "./lease.ts";
import type { ManualUploads } from "./manual-uploads.ts";
import { discardReceived } from "./proof.ts";
import { findManualUpload } from "./upload.ts";
import { isDueUpload, isFree } from "#service/storage/lease.ts";
import { publishUpload } from "#service/storage/upload-events.ts";

/** Rows per sweep, so that none takes long. */
const AT_A_TIME = 50;

/** Longer than a client takes between two requests. */
const WAITING_AFTER_MS = 5_000;

/** Wakes due uploads and flags silent ones. Call every few seconds. */
export async function sweepManualUploads(manual: ManualUploads): Promise<void> {
  const { platform, owner, active } = manual;
  await markWaitingUploads(platform, owner);
  await forgetStoreTrouble(platform, owner);
  await flagSilentUploads(manual);
  for (const uploadId of await provableUploads(platform, owner))
    if (!active.has(uploadId)) await platform.queue.send({ uploadId });
}

/** Uploads that have received all bytes and are not being proved. */
async function provableUploads(platform: Platform, owner: string): Promise<readonly string[]> {
  const rows = await platform.database.all(sql`
    SELECT id FROM uploads WHERE kind = 'manual' AND ${isDueUpload(platform, owner)}
      AND stored_bytes = source_bytes
    LIMIT ${AT_A_TIME}`);
  return rows.map((row) => uploadIdSchema.parse(row.id));
}

/**
 * "The Server MAY remove unfinished uploads once they expire." The stored bytes are removed; the
 * upload fails with the reason, and a retry lets the client start again.
 */
export async function expireManualUploads(context: ServiceContext, nowMs: number): Promise<void> {
  const { database } = context.platform;
  const isExpired = sql`status IN ('pending', 'processing') AND stored_bytes < source_bytes
    AND updated_at <= ${nowMs - EXPIRES_AFTER_MS}`;
  const rows = await database.all(sql`
    SELECT id FROM uploads WHERE expires_at <= ${nowMs} AND ${isExpired} LIMIT ${AT_A_TIME}`);
  for (const row of rows) {
    const upload = await findManualUpload(database, String(row.id));
    if (upload === null) continue;
    const message = "No data arrived for 24 hours. The bytes received so far were removed.";
    const isStillExpired = sql`EXISTS (SELECT 1 FROM uploads
      WHERE id = ${upload.id} AND ${isExpired})`;
    const expired = await batchIf(database, isStillExpired, [
      ...recordedChange(
        sql`UPDATE uploads SET status = 'failed', phase = NULL, failure_class = 'gone_at_source',
          error_message = ${message}, failed_at = ${nowMs}, next_attempt_at = NULL,
          epoch = epoch + 1, lease_owner = NULL, lease_until = NULL, stalled_at = NULL,
          version = version + 1, updated_at = ${nowMs}
        WHERE id = ${upload.id}`,
        nowMs,
        {
          audit: {
            actorId: null,
            action: "upload.expire",
            target: upload.id,
            reason: message,
            before: { storedBytes: upload.offset },
          },
          event: {
            type: "upload_failed",
            cause: "gone_at_source",
            subject: upload.id,
            title: `Failed: ${upload.filename}`,
            body: message,
            link: `/uploads?upload=${upload.id}`,
          },
        },
      ),
      ...discardReceived(upload.id, nowMs),
    ]);
    if (expired === null) continue;
    context.platform.telemetry?.uploadEnded("manual", "failed");
    await publishUpload(context.platform, upload.id);
  }
}

/** Marks uploads as waiting whose client has not begun its next request, or whose host is gone. */
async function markWaitingUploads(platform: Platform, owner: string): Promise<void> {
  const { rows } = await platform.database.run(sql`
    UPDATE uploads SET phase = 'waiting', speed_bytes_per_sec = NULL, version = version + 1
    WHERE kind = 'manual' AND status = 'processing' AND phase = 'copying'
      AND updated_at <= ${platform.clock.now() - WAITING_AFTER_MS} AND ${isFree(platform, owner)}
    RETURNING id`);
  for (const row of rows) await publishUpload(platform, String(row.id));
}

/** Drops the message of an outage from uploads that no client continues, once the store is back. */
async function forgetStoreTrouble(platform: Platform, owner: string): Promise<void> {
  const { rows } = await platform.database.run(sql`
    UPDATE uploads SET error_message = NULL, version = version + 1
    WHERE kind = 'manual' AND status = 'processing' AND error_message IS NOT NULL
      AND next_attempt_at IS NULL AND ${isFree(platform, owner)}
      AND 2 = (SELECT count(*) FROM health_probes WHERE component IN ('r2Storage', 'disk')
        AND status = 'healthy' AND checked_at > uploads.updated_at)
    RETURNING id`);
  for (const row of rows) await publishUpload(platform, String(row.id));
}

/** Flags uploads whose client has been silent for the stall timeout of archives. */
async function flagSilentUploads({ platform, settings }: ServiceContext): Promise<void> {
  const nowMs = platform.clock.now();
  const minutes = Math.max(1, Math.round(settings.STALL_AFTER_MS / 60_000));
  const { rows } = await platform.database.run(sql`
    UPDATE uploads SET stalled_at = ${nowMs}, version = version + 1,
      stall_reason = ${`The uploading browser has sent nothing for ${minutes} minutes.`}
    WHERE kind = 'manual' AND status = 'processing' AND stalled_at IS NULL
      AND stored_bytes < source_bytes AND updated_at <= ${nowMs - settings.STALL_AFTER_MS}
    RETURNING id`);
  for (const row of rows) await publishUpload(platform, String(row.id));
}
