import { formatBytes } from "#contract/format-bytes.ts";
import type { HealthStatus } from "#contract/system.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import { nearlyFull, readTightestDisk, roomIn } from "#service/space/disk-space.ts";
import type { ProbeResult } from "./health-store.ts";

/** Warns early enough to make room before archives and uploads have to wait. */
const WARNING_FACTOR = 2;

/** Hysteresis: a disk stays low until a tenth more is free, so that it is reported only once. */
const RECOVERY_FACTOR = 1.1;

/**
 * The health of the disks with the database and the objects.
 * @throws {Error} below the reserve
 */
export async function probeDisk(context: ServiceContext): Promise<ProbeResult> {
  const disk = await readTightestDisk(context);
  if (disk === null) return { status: "healthy", detail: null };
  if (roomIn(disk) <= 0)
    throw new Error(`${nearlyFull(disk.reserveBytes)} Archives and uploads wait.`);
  const warningBytes = disk.reserveBytes * WARNING_FACTOR;
  return disk.freeBytes < warningBytes
    ? { status: "degraded", detail: runningLow(warningBytes, disk.reserveBytes) }
    : { status: "healthy", detail: null };
}

/** Returns a function that notifies administrators once when disk space runs low; call it often. */
export function createDiskWatch(context: ServiceContext): () => Promise<void> {
  const { database, clock } = context.platform;
  /** What this process knows to be recorded. */
  let recorded: HealthStatus | null = null;
  return async () => {
    const disk = await readTightestDisk(context);
    if (disk === null) return;
    const warningBytes = disk.reserveBytes * WARNING_FACTOR;
    const isLow = disk.freeBytes < warningBytes;
    if (!isLow && disk.freeBytes < warningBytes * RECOVERY_FACTOR) return;
    const status = isLow ? "degraded" : "healthy";
    if (status === recorded) return;
    await database.batch(
      recordedChange(
        sql`INSERT INTO health_probes (component, status, since_at, checked_at)
        VALUES ('diskSpace', ${status}, ${clock.now()}, ${clock.now()})
        ON CONFLICT (component) DO UPDATE SET status = excluded.status, since_at = excluded.since_at
          WHERE status <> excluded.status`,
        clock.now(),
        {
          event: isLow
            ? {
                type: "disk_space_low",
                subject: null,
                title: "Disk space is running low",
                body: runningLow(warningBytes, disk.reserveBytes),
                link: "/system",
              }
            : null,
        },
      ),
    );
    recorded = status;
  };
}

function runningLow(warningBytes: number, reserveBytes: number): string {
  return (
    `Less than ${formatBytes(Math.round(warningBytes))} of disk space are free. ` +
    `Archives and uploads wait below ${formatBytes(Math.round(reserveBytes))}.`
  );
}
