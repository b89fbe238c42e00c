import { afterAll, expect, test } from "vitest";
import { sql } from "#service/db/sql.ts";
import { plan } from "#service/jobs/jobs.ts";
import type { Snapshots } from "#service/ports/snapshots.ts";
import { startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { readNightGauges } from "./night-gauges.ts";
import { readWorkGauges } from "./work-gauges.ts";

const GIB = 1024 ** 3;
const BACKED_UP_AT = new Date("2036-03-15T12:00:00Z");

const vodkeep = await startTestService({
  settings: { STORAGE_RESERVE_GB: "2" },
  changePlatform: (platform) => ({
    ...platform,
    runtime: {
      ...platform.runtime,
      disks: async () => [
        { freeBytes: 9 * GIB, sizeBytes: 1_000 * GIB },
        { freeBytes: 3 * GIB, sizeBytes: 1_000 * GIB },
      ],
      lastBackupAt: async () => BACKED_UP_AT,
    },
  }),
});
afterAll(() => vodkeep.close());

async function samples(isStoreHeld: boolean): Promise<Record<string, number>> {
  const process = { openStreams: 2, isStoreHeld };
  const gauges = await readWorkGauges(vodkeep.context, process);
  return Object.fromEntries(
    gauges.flatMap(([name, , values]) =>
      values.map(([labels, value]) => [name.replace(/^vodkeep_/, "") + labels, value]),
    ),
  );
}

test("gauges tell what waits and why, what is damaged, and what is left", async () => {
  const { database } = vodkeep.platform;
  vodkeep.clock.stand();
  const nowMs = vodkeep.clock.now();
  const later = sql`next_attempt_at = ${nowMs + 60_000}`;
  for (const id of ["due", "source", "store", "stalled"])
    await seedUpload(database, { id, atMs: nowMs - 30_000 });
  await database.batch([
    sql`UPDATE uploads SET ${later} WHERE id IN ('source', 'store', 'stalled')`,
    sql`UPDATE uploads SET failure_class = 'storage' WHERE id = 'store'`,
    sql`UPDATE uploads SET status = 'processing', stalled_at = 1 WHERE id = 'stalled'`,
    ...["problem", "title"].map(
      (field) => sql`
        INSERT INTO files (object_key, size_bytes, upload_type, status, content_type,
          last_modified_at, metadata)
        VALUES (${`vods/${field}`}, 1, 'twitch', 'partial', 'video/mp2t', 0,
          ${JSON.stringify({ [field]: "It is damaged." })})`,
    ),
    sql`UPDATE deployment SET backup_tested_at = 7000`,
    sql`UPDATE files SET verified_at = 5000 WHERE object_key = 'vods/problem'`,
    plan("verify", "vods/problem", 0),
    sql`UPDATE jobs SET error = 'It cannot be read.' WHERE key = 'vods/problem'`,
  ]);
  const found = await samples(false);
  expect(found).toMatchObject({
    disk_free_bytes: 3 * GIB,
    disk_reserve_bytes: 2 * GIB,
    'archives_waitingfor="place"': 1,
    'archives_waitingfor="store"': 1,
    'archives_waitingfor="source"': 2,
    archives_stalled: 1,
    files_damaged: 1,
    files_unreadable: 1,
    open_streams: 2,
    'last_backup_timestamp_secondskind="any"': BACKED_UP_AT.getTime() / 1_000,
    last_restore_test_timestamp_seconds: 7,
    oldest_waiting_archive_seconds: 30,
  });
  expect(await samples(true)).toMatchObject({
    'archives_waitingfor="store"': 3,
    'archives_waitingfor="source"': 0,
  });
});

const DAY_SEC = 86_400;
const SNAPSHOTS: Snapshots = {
  take: () => Promise.reject(new Error("No snapshot is taken here")),
  noteBackup: async () => undefined,
  tryRestoring: async () => null,
};
const beginAt = (atMs: number) => sql`UPDATE migrations SET applied_at = ${atMs}`;

test("what runs at night is overdue by the settings, and has a sample before the first success", async () => {
  const fresh = await startTestService({
    changePlatform: (platform) => ({ ...platform, snapshots: SNAPSHOTS }),
  });
  const { database } = fresh.platform;
  fresh.clock.stand();
  const night = async (settings: Partial<typeof fresh.settings> = {}) => {
    const context = { ...fresh.context, settings: { ...fresh.settings, ...settings } };
    const gauges = await readNightGauges(context);
    return Object.fromEntries(
      gauges.flatMap(([name, , values]) =>
        values.map(([labels, value]) => [name.replace(/^vodkeep_/, "") + labels, value]),
      ),
    );
  };
  const nowMs = fresh.clock.now();
  await database.run(beginAt(nowMs));
  expect(await night()).toMatchObject({
    'channelsstate="all"': 0,
    'backup_overdue_secondskind="nightly"': 0,
    'backup_overdue_secondskind="restore_test"': 0,
    verification_overdue_seconds: 0,
    vods_in_danger: 0,
    'webhooksstate="off"': 0,
  });
  await database.batch([
    sql`INSERT INTO files (object_key, size_bytes, upload_type, status, content_type, last_modified_at,
        metadata)
      VALUES ('vods/old', 9, 'twitch', 'complete', 'video/mp2t', 0, '{}')`,
    sql`UPDATE files SET trashed_at = 1, trash_until = ${nowMs - 1}`,
    sql`UPDATE files SET verified_at = ${nowMs - 100 * DAY_SEC * 1_000}
      WHERE object_key = 'vods/old'`,
    beginAt(nowMs - 10 * DAY_SEC * 1_000),
  ]);
  const found = await night();
  expect(found).toMatchObject({
    trash_files: 1,
    trash_bytes: 9,
    'trash_overdue_filesby="rules"': 1,
    'trash_overdue_filesby="people"': 0,
    vods_waiting_for_room: 0,
    verification_overdue_seconds: 40 * DAY_SEC,
    'backup_overdue_secondskind="restore_test"': 3 * DAY_SEC,
  });
  expect(found['backup_overdue_secondskind="nightly"']).toBeGreaterThan(8 * DAY_SEC);
  for (const SCRUB_DAYS of [0, 365])
    expect((await night({ SCRUB_DAYS }))["verification_overdue_seconds"]).toBe(0);
  await fresh.close();
});
