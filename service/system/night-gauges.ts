import * as z from "zod/mini";
import { readBackupDueTimes } from "#service/backups/backup-state.ts";
import { channelFigures, readSummary } from "#service/channels/channel-list.ts";
import { HAS_TROUBLE } from "#service/channels/channel-row.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Gauge } from "./work-gauges.ts";

const DAY_MS = 86_400_000;

/** Never verified files of which the oldest is looked for. */
const MOST_UNVERIFIED = 1_000;

const nightRow = z.object({
  trouble: z.number(),
  trashedFiles: z.number(),
  trashedBytes: z.number(),
  verifiedAt: z.nullable(z.number()),
  unverifiedSince: z.nullable(z.number()),
  webhooksOn: z.number(),
  webhooksOff: z.number(),
  webhooksFailing: z.number(),
});

/** Condition on a webhook: its last attempt failed, and is repeated. */
const IS_FAILING = sql`EXISTS (SELECT 1 FROM jobs
  WHERE kind = 'webhook' AND key = webhooks.id AND error IS NOT NULL)`;

/**
 * What runs by itself, mostly at night: channels, the trash, verification, backups and webhooks. What
 * is overdue follows from the settings, and has a sample before the first success; 0 is in time.
 */
export async function readNightGauges(context: ServiceContext): Promise<readonly Gauge[]> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const [backups, [row]] = await Promise.all([
    readBackupDueTimes(context),
    database.all(sql`SELECT ${channelFigures(nowMs)},
      (SELECT count(*) FROM channels c WHERE ${HAS_TROUBLE}) AS trouble,
      (SELECT coalesce(sum(trashed_files), 0) FROM file_counts WHERE user_id = '*') AS trashedFiles,
      (SELECT coalesce(sum(trashed_bytes), 0) FROM file_counts WHERE user_id = '*') AS trashedBytes,
      (SELECT min(verified_at) FROM file_checks WHERE verified_at > 0) AS verifiedAt,
      (SELECT max(min(f.last_modified_at),
          (SELECT min(applied_at) FROM migrations)) FROM files f WHERE f.object_key IN (
        SELECT object_key FROM file_checks WHERE verified_at = 0
        LIMIT ${MOST_UNVERIFIED})) AS unverifiedSince,
      (SELECT count(*) FROM webhooks WHERE enabled = 1 AND NOT ${IS_FAILING}) AS webhooksOn,
      (SELECT count(*) FROM webhooks WHERE enabled = 0 AND off_reason IS NOT NULL) AS webhooksOff,
      (SELECT count(*) FROM webhooks WHERE enabled = 1 AND ${IS_FAILING}) AS webhooksFailing`),
  ]);
  const channels = readSummary(row);
  const night = nightRow.parse(row);
  const scrubMs = context.settings.SCRUB_DAYS * DAY_MS;
  const checkedMs = Math.min(night.verifiedAt ?? nowMs, night.unverifiedSince ?? nowMs);
  const secondsAfter = (dueMs: number) => Math.max(0, nowMs - dueMs) / 1_000;
  return [
    [
      "vodkeep_channels",
      "Followed channels: all, live, and those with trouble, as the console states it",
      [
        ['state="all"', channels.channels],
        ['state="live"', channels.live],
        ['state="trouble"', night.trouble],
      ],
    ],
    [
      "vodkeep_vods_in_danger",
      "Wanted VODs that the source may delete within three days",
      [["", channels.inDanger]],
    ],
    [
      "vodkeep_vods_lost",
      "Wanted VODs that the source deleted in the last 30 days before they were stored",
      [["", channels.lost]],
    ],
    ["vodkeep_trash_files", "Files in the trash", [["", night.trashedFiles]]],
    ["vodkeep_trash_bytes", "Bytes in the trash", [["", night.trashedBytes]]],
    [
      "vodkeep_verification_overdue_seconds",
      "For how long a file should have been verified, by SCRUB_DAYS; 0 without one",
      [["", scrubMs === 0 ? 0 : secondsAfter(checkedMs + scrubMs)]],
    ],
    [
      "vodkeep_backup_overdue_seconds",
      "For how long a nightly backup, or its weekly test, should have succeeded; absent if BACKUP_AT is off",
      backups === null
        ? []
        : [
            ['kind="nightly"', secondsAfter(backups.nightlyMs)],
            ['kind="restore_test"', secondsAfter(backups.testMs)],
          ],
    ],
    [
      "vodkeep_webhooks",
      "Webhooks: delivering, failing now, and switched off by the service",
      [
        ['state="on"', night.webhooksOn],
        ['state="failing"', night.webhooksFailing],
        ['state="off"', night.webhooksOff],
      ],
    ],
  ];
}
