import * as z from "zod/mini";
import { readBackupDueTimes } from "#service/backups/backup-state.ts";
import { channelFigures, readSummary } from "#service/channels/channel-list.ts";
import { HAS_TROUBLE } from "#service/channels/channel-row.ts";
import { WAITS_FOR_ROOM } from "#service/channels/start.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { mayDelete } from "#service/trash/removable-files.ts";
import type { Gauge } from "./work-gauges.ts";

const DAY_MS = 86_400_000;

/** Never verified files of which the oldest is looked for. */
const MOST_UNVERIFIED = 1_000;

const nightRow = z.object({
  trouble: z.number(),
  trashedFiles: z.number(),
  trashedBytes: z.number(),
  overdueByPeople: z.number(),
  overdueByRules: z.number(),
  awaitingRoom: z.number(),
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
      (SELECT count(*) FROM files WHERE trash_until < ${nowMs} AND trashed_by IS NOT NULL
        AND ${mayDelete(sql`trashed_by`)}) AS overdueByPeople,
      (SELECT count(*) FROM files WHERE trash_until < ${nowMs} AND trashed_by IS NULL) AS overdueByRules,
      (SELECT count(*) FROM vods v WHERE ${WAITS_FOR_ROOM}) AS awaitingRoom,
      (SELECT min(verified_at) FROM files WHERE verified_at > 0) AS verifiedAt,
      (SELECT max(min(f.last_modified_at),
          (SELECT min(applied_at) FROM migrations)) FROM (
        SELECT last_modified_at FROM files WHERE verified_at = 0
        LIMIT ${MOST_UNVERIFIED}) f) AS unverifiedSince,
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
    [
      "vodkeep_vods_waiting_for_room",
      "Wanted VODs that the disk, or the budget, has no room for",
      [["", night.awaitingRoom]],
    ],
    [
      "vodkeep_trash_overdue_files",
      "Files past their 14 days in the trash; of those by rules, some stay that no rule removes now",
      [
        ['by="people"', night.overdueByPeople],
        ['by="rules"', night.overdueByRules],
      ],
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
      "For how long a nightly backup, or its weekly test, should have succeeded; absent where the host keeps the history",
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
