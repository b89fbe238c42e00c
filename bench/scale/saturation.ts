import { WOKEN_AT_A_TIME } from "#hosts/cloudflare/sparse-queue.ts";
import { ARCHIVE_SWEEP_MS } from "#service/app.ts";
import { SCAN_EVERY_MS } from "#service/files/reconcile.ts";
import { IDLE_BYTES_PER_SEC, SCRUB_CYCLE_DAYS } from "#service/files/scrub-pace.ts";
import { SCRUB_ROUND_MS } from "#service/files/scrub.ts";
import { PAGES_A_TICK, RECONCILE_EVERY_MS, SCRUB_EVERY_MS } from "#service/files/storage-tasks.ts";
import { readWranglerConfig } from "../../scripts/wrangler-config.ts";
import { ARCHIVE, ROW_BYTES } from "./archive-model.ts";
import { ASSUMED, LIMITS } from "./platform-limits.ts";
import { databaseBytesOf, storedArchives, storedBytes, type Workload } from "./workloads.ts";

const DAY_SEC = 86_400;

/** Helix: points a minute, one for a call (dev.twitch.tv/docs/api/guide). */
const HELIX_POINTS_PER_MIN = 800;
/** The VOD and its owner. */
const HELIX_CALLS = 2;

const SWEEP_SEC = ARCHIVE_SWEEP_MS / 1_000;

/** A round that takes its full time leaves the rest of its minute to others. */
const SCRUB_SHARE = SCRUB_ROUND_MS / SCRUB_EVERY_MS;
const SCRUB_BYTES_PER_DAY = IDLE_BYTES_PER_SEC * DAY_SEC * SCRUB_SHARE;

/** The most that a store lists at a time (service/ports/object-store.ts). */
const KEYS_PER_PAGE = 1_000;
const SCANNED_PER_TICK = PAGES_A_TICK * KEYS_PER_PAGE;
const TICK_SEC = RECONCILE_EVERY_MS / 1_000;
const SCAN_EVERY_SEC = SCAN_EVERY_MS / 1_000;
/** The VOD, its playlist, its manifest and its chat. */
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
      (WOKEN_AT_A_TIME / SWEEP_SEC) * DAY_SEC,
      `${WOKEN_AT_A_TIME} each ${SWEEP_SEC} s × 86,400 s`,
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
      derivation: `${IDLE_BYTES_PER_SEC / 1_048_576} MiB/s for half of the time × ${SCRUB_CYCLE_DAYS} days`,
      used: storedBytes,
    },
    {
      part: "the scan for orphans within its half hour",
      holds: ((SCANNED_PER_TICK / TICK_SEC) * SCAN_EVERY_SEC) / OBJECTS_PER_ARCHIVE,
      unit: "archives kept",
      derivation:
        `${SCANNED_PER_TICK.toLocaleString("en")} keys each ${TICK_SEC} s × ` +
        `${SCAN_EVERY_SEC.toLocaleString("en")} s ÷ ${OBJECTS_PER_ARCHIVE} objects`,
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
