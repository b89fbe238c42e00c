import { afterAll, expect, test } from "vitest";
import { sql } from "#service/db/sql.ts";
import { startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
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
    gauges.flatMap(([name, , values]) => values.map(([labels, value]) => [name + labels, value])),
  );
}

test("gauges tell what waits and why, what is damaged, and what is left", async () => {
  const { database, clock } = vodkeep.platform;
  const nowMs = clock.now();
  const later = sql`next_attempt_at = ${nowMs + 60_000}`;
  for (const id of ["due", "source", "store", "stalled"])
    await seedUpload(database, { id, atMs: nowMs - 30_000 });
  await seedUpload(database, { id: "dismissed", status: "failed" });
  await database.batch([
    sql`UPDATE uploads SET dismissed_at = 1 WHERE id = 'dismissed'`,
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
    sql`UPDATE backup_record SET tested_at = 7000`,
    sql`INSERT INTO unreadable_files (object_key, since, retry_at) VALUES ('vods/problem', 0, 0)`,
    sql`INSERT OR REPLACE INTO file_checks (object_key, verified_at)
      VALUES ('vods/problem', 5000), ('vods/title', 0)`,
  ]);
  const found = await samples(false);
  expect(found).toMatchObject({
    disk_free_bytes: 3 * GIB,
    disk_reserve_bytes: 2 * GIB,
    'archives_waitingfor="place"': 1,
    'archives_waitingfor="store"': 1,
    'archives_waitingfor="source"': 2,
    archives_stalled: 1,
    uploads_dismissed: 1,
    files_damaged: 1,
    files_unreadable: 1,
    oldest_verification_timestamp_seconds: 5,
    open_streams: 2,
    last_backup_timestamp_seconds: BACKED_UP_AT.getTime() / 1_000,
    last_restore_test_timestamp_seconds: 7,
  });
  expect(found["oldest_waiting_archive_seconds"]).toBeCloseTo(30, 0);
  expect(await samples(true)).toMatchObject({
    'archives_waitingfor="store"': 3,
    'archives_waitingfor="source"': 0,
  });
});
