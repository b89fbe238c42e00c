import { formatBytes } from "#contract/format-bytes.ts";
import { ApiError } from "#service/api-error.ts";
import type { DiskSpace, Runtime } from "#service/platform.ts";
import type { Settings } from "#service/settings.ts";
import { replaceOperations, StoreError, type ObjectStore } from "#service/ports/object-store.ts";

/**
 * Checks the free space of the disks. Objects and the database may share a disk, so a reserve is
 * kept for the database: without it users could not sign out, cancel or delete.
 */

const GIB = 1024 ** 3;

/** Default of STORAGE_RESERVE_GB: enough for the database, but only a share of a small disk. */
const MAX_DEFAULT_RESERVE_BYTES = 2 * GIB;
const DEFAULT_RESERVE_SHARE = 0.05;

export type SpaceContext = {
  readonly platform: { readonly runtime: Pick<Runtime, "disks"> };
  readonly settings: Pick<Settings, "STORAGE_RESERVE_GB">;
};

/** The disk with the least room above its reserve. */
export type TightestDisk = {
  readonly freeBytes: number;
  readonly reserveBytes: number;
};

/** Null if the host has no disk, or cannot measure it. */
export async function readTightestDisk(
  { platform, settings }: SpaceContext,
  isMeant: (disk: DiskSpace) => boolean = () => true,
): Promise<TightestDisk | null> {
  const disks = (await platform.runtime.disks?.()) ?? [];
  const measured = disks
    .filter(isMeant)
    // Some network file systems report no size at all.
    .filter(({ sizeBytes }) => sizeBytes > 0)
    .map((disk) => ({ freeBytes: disk.freeBytes, reserveBytes: reserveOf(disk, settings) }));
  measured.sort((one, other) => roomIn(one) - roomIn(other));
  return measured[0] ?? null;
}

/** The disk that objects are stored on; null if they are in a bucket. */
export function readObjectsDisk(context: SpaceContext): Promise<TightestDisk | null> {
  return readTightestDisk(context, ({ isWithoutObjects }) => isWithoutObjects !== true);
}

function reserveOf({ sizeBytes }: DiskSpace, settings: SpaceContext["settings"]): number {
  return settings.STORAGE_RESERVE_GB === undefined
    ? Math.min(MAX_DEFAULT_RESERVE_BYTES, DEFAULT_RESERVE_SHARE * sizeBytes)
    : settings.STORAGE_RESERVE_GB * GIB;
}

/** Free bytes above the reserve; negative if the reserve is in use. */
export function roomIn({ freeBytes, reserveBytes }: TightestDisk): number {
  return freeBytes - reserveBytes;
}

/** A sentence that says why these bytes may not be written; null if they may. */
export async function findShortage(context: SpaceContext, bytes: number): Promise<string | null> {
  const disk = await readTightestDisk(context);
  return disk === null || roomIn(disk) >= bytes ? null : nearlyFull(disk.reserveBytes);
}

/** A disk with less free space counts as full. */
const FULL_BELOW_BYTES = 1024 ** 2;

export async function isDiskFull(context: SpaceContext): Promise<boolean> {
  const disk = await readTightestDisk(context);
  return disk !== null && disk.freeBytes < FULL_BELOW_BYTES;
}

/** A quarter more than the reserve, so that a resumed archive does not stop at the next part. */
const START_FACTOR = 1.25;

/** A sentence that says why no archive may start; null if one may. */
export async function findStartShortage(context: SpaceContext): Promise<string | null> {
  const disk = await readTightestDisk(context);
  if (disk === null) return null;
  const limitBytes = disk.reserveBytes * START_FACTOR;
  return disk.freeBytes >= limitBytes ? null : nearlyFull(limitBytes);
}

/**
 * Call before receiving a request's body.
 * @throws {ApiError} unavailable when they would use the disk's reserve
 */
export async function requireSpace(context: SpaceContext, bytes: number): Promise<void> {
  const shortage = await findShortage(context, bytes);
  if (shortage !== null) throw noRoom(shortage);
}

/** An operator has to make room first. */
const RETRY_AFTER_SEC = 60;

export function noRoom(reason: string, options: ErrorOptions = {}): ApiError {
  return new ApiError("unavailable", `${reason} The upload can go on when there is room.`, {
    ...options,
    retryAfterSec: RETRY_AFTER_SEC,
  });
}

/** Names the limit, not the free space, so that the text does not change while the disk fills. */
export function nearlyFull(limitBytes: number): string {
  return `The disk is nearly full: less than ${formatBytes(Math.round(limitBytes))} are free.`;
}

/** Wraps a store: writes that would use the disk's reserve fail with `full`. */
export function guardObjects(objects: ObjectStore, context: SpaceContext): ObjectStore {
  // Bytes of running writes may not yet be subtracted from the free space.
  let writingBytes = 0;

  async function write<T>(bytes: Uint8Array, run: () => Promise<T>): Promise<T> {
    writingBytes += bytes.byteLength;
    try {
      const shortage = await findShortage(context, writingBytes);
      if (shortage !== null) throw new StoreError("full", shortage);
      return await run();
    } finally {
      writingBytes -= bytes.byteLength;
    }
  }

  return replaceOperations(objects, {
    put: (key, body, options) => write(body, () => objects.put(key, body, options)),
    uploadPart: (handle, partNumber, bytes, digest) =>
      write(bytes, () => objects.uploadPart(handle, partNumber, bytes, digest)),
  });
}
