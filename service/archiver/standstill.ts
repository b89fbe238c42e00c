import * as z from "zod/mini";
import { uploadIdSchema } from "#contract/ids.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { mayCopy } from "#service/storage/consent-pause.ts";
import { stallRecord } from "#service/storage/run-outcome.ts";
import { publishUpload } from "#service/storage/upload-events.ts";

/** Flagged per call, so that a large queue after a long outage is not read at once. */
const MAX_FLAGGED = 20;

const standingRow = z.object({
  id: uploadIdSchema,
  title: z.nullable(z.string()),
  filename: z.string(),
});

/**
 * Watches begun archives that no runner has, because there are fewer places than archives or their
 * process has ended: after STALL_AFTER_MS they are flagged as stalled and reported. The run that
 * continues one clears the flag with its first checkpoint. Call once a minute.
 */
export async function flagStandstills({ platform, settings }: ServiceContext): Promise<void> {
  const { database, clock } = platform;
  const nowMs = clock.now();
  const isStanding = sql`kind <> 'manual' AND status = 'processing' AND phase <> 'waiting'
    AND stalled_at IS NULL AND ${mayCopy}
    AND max(updated_at, ifnull(next_attempt_at, 0), ifnull(lease_until, 0))
      <= ${nowMs - settings.STALL_AFTER_MS}`;
  const rows = await database.all(sql`
    SELECT id, title, filename FROM uploads WHERE ${isStanding} ORDER BY seq LIMIT ${MAX_FLAGGED}`);
  const minutes = Math.max(1, Math.round(settings.STALL_AFTER_MS / 60_000));
  const reason = `No worker had a place for it for ${minutes} minutes.`;
  for (const row of rows) {
    const upload = standingRow.parse(row);
    await database.batch(
      recordedChange(
        sql`UPDATE uploads SET stalled_at = ${nowMs}, stall_reason = ${reason},
          epoch = epoch + 1, lease_owner = NULL, lease_until = NULL, version = version + 1 WHERE id = ${upload.id} AND ${isStanding}`,
        nowMs,
        stallRecord(upload, reason),
      ),
    );
    await publishUpload(platform, upload.id);
  }
}
