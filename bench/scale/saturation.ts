import { readWranglerConfig } from "../../scripts/wrangler-config.ts";
import { ARCHIVE, ROW_BYTES } from "./archive-model.ts";
import { ASSUMED, LIMITS } from "./platform-limits.ts";
import { databaseBytesOf, storedArchives, storedBytes, type Workload } from "./workloads.ts";

const DAY_SEC = 86_400;

/** Helix: points a minute, one for a call (dev.twitch.tv/docs/api/guide). */
const HELIX_POINTS_PER_MIN = 800;
/** The VOD and its owner. */
const HELIX_CALLS = 2;

/** The sweeper wakes at most this many that wait, each three seconds (scheduler-object.ts). */
const WOKEN_PER_SWEEP = 20;
const SWEEP_SEC = 3;

/** service/files/scrub.ts: half of each minute at the rate for idle times, all bytes in sixty days. */
const SCRUB_BYTES_PER_DAY = (16 * 1024 * 1024 * DAY_SEC) / 2;
const SCRUB_CYCLE_DAYS = 60;

/** service/files/storage-tasks.ts: twenty pages of a thousand each 15 s, a scan each half hour. */
const SCANNED_PER_SEC = (20 * 1_000) / 15;
const SCAN_EVERY_SEC = 1_800;
const OBJECTS_PER_ARCHIVE = 4;

/** What fills up, and how full it is. */
export type Capacity = {
  readonly part: string;
  /** How many of what one deployment takes when it is full. */
  readonly holds: number;
  readonly unit: "archives a day" | "archives kept" | "bytes kept";
  readonly derivation: string;
  readonly used: (workload: Workload) => number;
};

const archivesPerDay = ({ archivesPerDay: rate }: Workload) => rate;

function flow(part: string, holds: number, derivation: string): Capacity {
  return { part, holds, unit: "archives a day", derivation, used: archivesPerDay };
}

/** Slices at a time that wrangler.jsonc allows. */
function configuredPlaces(): number {
  const [consumer] = readWranglerConfig().queues.consumers;
  return Number(consumer?.["max_concurrency"]);
}

export function capacities(): readonly Capacity[] {
  const { copySec } = ARCHIVE;
  const writesPerSec = 1_000 / ASSUMED.databaseWriteMs;
  return [
    flow(
      "slices at a time, as configured",
      (configuredPlaces() * DAY_SEC) / copySec,
      `${configuredPlaces()} places × 86,400 s ÷ ${copySec} s of copying`,
    ),
    flow(
      "slices at a time, one queue's most",
      (LIMITS.queueConsumers.value * DAY_SEC) / copySec,
      `${LIMITS.queueConsumers.value} consumers × 86,400 s ÷ ${copySec} s`,
    ),
    flow(
      "the database's one writer",
      (writesPerSec * DAY_SEC) / ARCHIVE.databaseWrites,
      `${writesPerSec} writes/s × 86,400 s ÷ ${ARCHIVE.databaseWrites} writes`,
    ),
    flow(
      "Twitch's API",
      (HELIX_POINTS_PER_MIN * 1_440) / HELIX_CALLS,
      `${HELIX_POINTS_PER_MIN} points/min × 1,440 min ÷ ${HELIX_CALLS} calls`,
    ),
    flow(
      "the sweeper's wake-ups",
      (WOKEN_PER_SWEEP / SWEEP_SEC) * DAY_SEC,
      `${WOKEN_PER_SWEEP} each ${SWEEP_SEC} s × 86,400 s`,
    ),
    flow(
      "the live hub",
      (LIMITS.durableObjectRequestsPerSec.value * DAY_SEC) / ARCHIVE.progressWrites,
      `${LIMITS.durableObjectRequestsPerSec.value.toLocaleString("en")} requests/s × 86,400 s ÷ ` +
        `${ARCHIVE.progressWrites} events`,
    ),
    {
      part: "the scrub's promise of sixty days",
      holds: SCRUB_BYTES_PER_DAY * SCRUB_CYCLE_DAYS,
      unit: "bytes kept",
      derivation: "16 MiB/s for half of the time × 60 days",
      used: storedBytes,
    },
    {
      part: "the scan for orphans within its half hour",
      holds: (SCANNED_PER_SEC * SCAN_EVERY_SEC) / OBJECTS_PER_ARCHIVE,
      unit: "archives kept",
      derivation: "20,000 keys each 15 s × 1,800 s ÷ 4 objects",
      used: storedArchives,
    },
    {
      part: "the database's size",
      holds: LIMITS.databaseBytes.value / ROW_BYTES.archive,
      unit: "archives kept",
      derivation: `10 GB ÷ ${ROW_BYTES.archive.toLocaleString("en")} bytes; a user counts ${ROW_BYTES.user.toLocaleString("en")}`,
      used: (workload) =>
        databaseBytesOf(workload, storedArchives(workload), ROW_BYTES) / ROW_BYTES.archive,
    },
  ];
}

/** Deployments side by side that keep what platform limits bound within the usable share. */
export function shardsFor(workload: Workload): number {
  const bounds = capacities().filter(({ part }) => PLATFORM_BOUND.has(part));
  return Math.max(
    ...bounds.map(({ used, holds }) => Math.ceil(used(workload) / (holds * ASSUMED.usableShare))),
  );
}

/** The others are our own settings and tasks: they change with the code, not with more of it. */
const PLATFORM_BOUND = new Set([
  "slices at a time, one queue's most",
  "the database's one writer",
  "the database's size",
]);
