import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Metric } from "#service/ports/telemetry.ts";
import { readTightestDisk } from "#service/space/disk-space.ts";
import { readWaiting } from "#service/health/queue-probe.ts";

/** A gauge's name, help and samples, as in `Metric`. */
export type Gauge = readonly [name: string, help: string, samples: Metric["samples"]];

/** Of the process that answers. */
export type ProcessState = { readonly openStreams: number; readonly isStoreHeld: boolean };

const workRow = z.object({
  stalled: z.number(),
  retrying: z.number(),
  awaitingStore: z.number(),
  damaged: z.number(),
  unreadable: z.number(),
  undelivered: z.number(),
  sessions: z.number(),
  testedAt: z.nullable(z.number()),
  madeAt: z.nullable(z.number()),
});

/** What waits, stands still or is damaged, and what is left on the disk. */
export async function readWorkGauges(
  context: ServiceContext,
  process: ProcessState,
): Promise<readonly Gauge[]> {
  const { database, clock, runtime } = context.platform;
  const nowMs = clock.now();
  const isRetrying = sql`status IN ('pending', 'processing') AND kind <> 'manual'
    AND next_attempt_at > ${nowMs}`;
  const [disk, waiting, [row], lastBackupAt] = await Promise.all([
    readTightestDisk(context),
    readWaiting(database, nowMs),
    database.all(sql`SELECT
      (SELECT count(*) FROM uploads WHERE status = 'processing' AND kind <> 'manual'
        AND stalled_at IS NOT NULL) AS stalled,
      (SELECT count(*) FROM uploads WHERE ${isRetrying}) AS retrying,
      (SELECT count(*) FROM uploads WHERE ${isRetrying}
        AND failure_class = 'storage') AS awaitingStore,
      (SELECT count(*) FROM files WHERE status = 'partial' AND upload_type <> 'chunk'
        AND json_extract(metadata, '$.problem') IS NOT NULL) AS damaged,
      (SELECT count(*) FROM jobs WHERE kind = 'verify' AND error IS NOT NULL) AS unreadable,
      (SELECT count(*) FROM notification_deliveries WHERE status = 'pending'
        AND channel <> 'webhook') AS undelivered,
      (SELECT count(*) FROM sessions
        WHERE revoked_at IS NULL AND expires_at > ${nowMs}) AS sessions,
      (SELECT backup_tested_at FROM deployment) AS testedAt,
      (SELECT backup_made_at FROM deployment) AS madeAt`),
    runtime.lastBackupAt?.() ?? null,
  ]);
  const work = workRow.parse(row);
  // While the queue is held, everything in it waits for the store, also what has not tried it yet.
  const awaitingStore = process.isStoreHeld ? work.retrying : work.awaitingStore;
  return [
    [
      "vodkeep_disk_free_bytes",
      "Free space of the fullest disk",
      disk === null ? [] : [["", disk.freeBytes]],
    ],
    [
      "vodkeep_disk_reserve_bytes",
      "Free space below which archives and uploads wait",
      disk === null ? [] : [["", disk.reserveBytes]],
    ],
    [
      "vodkeep_archives_waiting",
      "Archives that nobody copies now, by what they wait for; at most 1000 for a place",
      [
        ['for="place"', waiting.waiting],
        ['for="store"', awaitingStore],
        ['for="source"', work.retrying - awaitingStore],
      ],
    ],
    [
      "vodkeep_oldest_waiting_archive_seconds",
      "How long the first archive in the queue has waited for a place; 0 without one",
      [["", waiting.oldestAt === null ? 0 : Math.max(0, nowMs - waiting.oldestAt) / 1_000]],
    ],
    ["vodkeep_archives_stalled", "Archives that are flagged as stalled", [["", work.stalled]]],
    [
      "vodkeep_files_damaged",
      "Files whose stored bytes are missing or wrong",
      [["", work.damaged]],
    ],
    [
      "vodkeep_files_unreadable",
      "Files that the store refused to read lately",
      [["", work.unreadable]],
    ],
    [
      "vodkeep_notifications_pending",
      "Messages that are still to be delivered",
      [["", work.undelivered]],
    ],
    ["vodkeep_sessions", "Sessions that can be used", [["", work.sessions]]],
    ["vodkeep_open_streams", "Open event streams of this process", [["", process.openStreams]]],
    [
      "vodkeep_last_backup_timestamp_seconds",
      "When a backup last ended, by night or by any means, in Unix time; absent before",
      [
        ...(work.madeAt === null ? [] : [['kind="nightly"', work.madeAt / 1_000] as const]),
        ...(lastBackupAt === null ? [] : [['kind="any"', lastBackupAt.getTime() / 1_000] as const]),
      ],
    ],
    [
      "vodkeep_last_restore_test_timestamp_seconds",
      "When a nightly backup was last restored in a test, in Unix time; absent before",
      work.testedAt === null ? [] : [["", work.testedAt / 1_000]],
    ],
  ];
}
