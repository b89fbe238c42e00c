import { formatBytes } from "#contract/format-bytes.ts";
import { Failure } from "#service/failure.ts";
import type { DiskSpace, Platform } from "#service/platform.ts";
import type { Settings } from "#service/settings.ts";

/**
 * How close the disks are to being full. Objects and the database share them, so what is kept in
 * reserve keeps the database working: without it nobody could sign out, cancel or delete any more.
 */

const GIB = 1024 ** 3;

/** STORAGE_RESERVE_GB where it is not set: enough for the database, and not all of a small disk. */
const MAX_DEFAULT_RESERVE_BYTES = 2 * GIB;
const DEFAULT_RESERVE_SHARE = 0.05;

export type SpaceContext = {
  readonly platform: Pick<Platform, "runtime">;
  readonly settings: Pick<Settings, "STORAGE_RESERVE_GB">;
};

/** The disk that fills up first. */
export type TightestDisk = {
  readonly freeBytes: number;
  readonly reserveBytes: number;
};

/** Null where the host has no disk that could fill up, or cannot tell. */
export async function readTightestDisk({
  platform,
  settings,
}: SpaceContext): Promise<TightestDisk | null> {
  const disks = (await platform.runtime.disks?.()) ?? [];
  const measured = disks
    // Some network file systems report no size at all.
    .filter(({ sizeBytes }) => sizeBytes > 0)
    .map((disk) => ({ freeBytes: disk.freeBytes, reserveBytes: reserveOf(disk, settings) }));
  measured.sort((one, other) => roomIn(one) - roomIn(other));
  return measured[0] ?? null;
}

function reserveOf({ sizeBytes }: DiskSpace, settings: SpaceContext["settings"]): number {
  return settings.STORAGE_RESERVE_GB === undefined
    ? Math.min(MAX_DEFAULT_RESERVE_BYTES, DEFAULT_RESERVE_SHARE * sizeBytes)
    : settings.STORAGE_RESERVE_GB * GIB;
}

/** Bytes above the reserve; negative when it is being used. */
export function roomIn({ freeBytes, reserveBytes }: TightestDisk): number {
  return freeBytes - reserveBytes;
}

/** Why these bytes may not be written, as a sentence; null when they may. */
export async function findShortage(context: SpaceContext, bytes: number): Promise<string | null> {
  const disk = await readTightestDisk(context);
  return disk === null || roomIn(disk) >= bytes ? null : nearlyFull(disk.reserveBytes);
}

/** What is left then is of no use to anybody. */
const FULL_BELOW_BYTES = 1024 ** 2;

export async function isDiskFull(context: SpaceContext): Promise<boolean> {
  const disk = await readTightestDisk(context);
  return disk !== null && disk.freeBytes < FULL_BELOW_BYTES;
}

/** A quarter more than the reserve, so that what goes on does not stop again at the next part. */
const START_FACTOR = 1.25;

/** Why nothing new may be begun, as a sentence; null when it may. */
export async function findStartShortage(context: SpaceContext): Promise<string | null> {
  const disk = await readTightestDisk(context);
  if (disk === null) return null;
  const limitBytes = disk.reserveBytes * START_FACTOR;
  return disk.freeBytes >= limitBytes ? null : nearlyFull(limitBytes);
}

/**
 * Call before taking bytes of a request.
 * @throws {Failure} unavailable when they would use the disk's reserve
 */
export async function requireSpace(context: SpaceContext, bytes: number): Promise<void> {
  const shortage = await findShortage(context, bytes);
  if (shortage !== null) throw noRoom(shortage);
}

/** Somebody has to make room first. */
const RETRY_AFTER_SEC = 60;

export function noRoom(reason: string, options: ErrorOptions = {}): Failure {
  return new Failure("unavailable", `${reason} The upload can go on when there is room.`, {
    ...options,
    retryAfterSec: RETRY_AFTER_SEC,
  });
}

/** Names the limit, not what is free: the sentence stays the same while the disk fills. */
export function nearlyFull(limitBytes: number): string {
  return `The disk is nearly full: less than ${formatBytes(Math.round(limitBytes))} are free.`;
}
