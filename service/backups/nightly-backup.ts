import type { ObjectKey } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import type { MultipartHandle, StoredPart } from "#service/ports/object-store.ts";
import type { Snapshot, Snapshots } from "#service/ports/snapshots.ts";
import {
  backupKeys,
  backupTime,
  backupTimeMs,
  isBackupKey,
  listStoredBackups,
  timeOf,
} from "./stored-backups.ts";

/*
 * Every night the database goes into the store (stored-backups.ts). An unfinished backup is removed by
 * the next run. Other objects under `backups/` are never touched.
 */

/** Two weeks of nights. */
export const KEPT_BACKUPS = 14;

/** 03:00 UTC. */
const DUE_AFTER_MIDNIGHT_MS = 3 * 3_600_000;
const DAY_MS = 86_400_000;

/** A failed backup is repeated after this time. */
const LOOK_EVERY_MS = 600_000;

/** Does nothing on hosts without snapshots, whose database has a history of its own. */
export function scheduleBackups(context: ServiceContext): void {
  const { snapshots, scheduler, clock } = context.platform;
  if (snapshots === undefined) return;
  /** Undefined until the store was asked. */
  let newestMs: number | null | undefined;
  let isFirst = true;
  let failures = 0;
  scheduler.every(LOOK_EVERY_MS, "backup", async () => {
    // The first run is at the start of the process, which has more urgent work.
    if (isFirst) {
      isFirst = false;
      return;
    }
    try {
      if (newestMs === undefined) newestMs = (await listBackups(context)).newestMs;
      if (!isDue(newestMs, clock.now())) return;
      newestMs = await makeBackup(context, snapshots);
      failures = 0;
    } catch (error) {
      failures += 1;
      const level = failures === 1 ? "warn" : "error";
      context.log[level]("The database could not be backed up", { failures, error });
    }
  });
}

/** A backup from the future was made while the clock was wrong. */
export function isDue(newestMs: number | null, nowMs: number): boolean {
  const lastDueMs =
    Math.floor((nowMs - DUE_AFTER_MIDNIGHT_MS) / DAY_MS) * DAY_MS + DUE_AFTER_MIDNIGHT_MS;
  return newestMs === null || newestMs < lastDueMs || newestMs > nowMs + DAY_MS;
}

/**
 * Makes one backup, proves it by reading it back, and only then removes what exceeds
 * {@link KEPT_BACKUPS}. Returns its time. After a failure nothing is removed; repeating is safe.
 *
 * @throws {StoreError} that of the store
 */
export async function makeBackup(context: ServiceContext, snapshots: Snapshots): Promise<number> {
  const { objects, clock } = context.platform;
  const atMs = Math.floor(clock.now() / 1_000) * 1_000;
  const time = backupTime(atMs);
  const { data, facts: factsKey } = backupKeys(time);
  const snapshot = await snapshots.take();
  try {
    await abortUnfinished(context);
    await store(context, data, snapshot);
    const stored = await objects.get(data);
    if (stored === null || !(await snapshot.isSame(stored.body)))
      throw new Error(`The store did not return ${data} as it was written`);
    const { sizeBytes, sha256, schema, uploads, files, auditHead } = snapshot;
    const facts = { sizeBytes, sha256, schema, uploads, files, auditHead };
    await objects.put(factsKey, new TextEncoder().encode(JSON.stringify(facts)), {
      contentType: "application/json",
    });
  } finally {
    await snapshot.remove();
  }
  await snapshots.noteBackup();
  context.log.info("The database is backed up", { key: data, sizeBytes: snapshot.sizeBytes });
  const { removable } = await listBackups(context, time);
  for (const key of removable) await objects.delete(key);
  return atMs;
}

async function store(context: ServiceContext, key: ObjectKey, snapshot: Snapshot): Promise<void> {
  const { objects, runtime } = context.platform;
  const partSizeBytes = runtime.smallestPartBytes;
  const handle = await objects.createMultipart(key, {
    contentType: "application/gzip",
    partSizeBytes,
  });
  try {
    const parts: StoredPart[] = [];
    for (let at = 0; at < snapshot.sizeBytes; at += partSizeBytes) {
      const bytes = await snapshot.read(at, Math.min(partSizeBytes, snapshot.sizeBytes - at));
      parts.push(await objects.uploadPart(handle, parts.length + 1, bytes));
    }
    await objects.completeMultipart(handle, parts);
  } catch (error) {
    await abort(context, handle);
    throw error;
  }
}

/** Those of a process that was killed. */
async function abortUnfinished(context: ServiceContext): Promise<void> {
  const open = (await context.platform.objects.listMultiparts()) ?? [];
  for (const handle of open) if (isBackupKey(handle.key)) await abort(context, handle);
}

async function abort({ platform, log }: ServiceContext, handle: MultipartHandle): Promise<void> {
  await platform.objects
    .abortMultipart(handle)
    .catch((error: unknown) => log.warn("An unfinished backup stays in the store", { error }));
}

/** `removable`: older than the newest ones that are kept, or unfinished; never that of `made`. */
async function listBackups({ platform }: ServiceContext, made: string | null = null) {
  const { keys, times } = await listStoredBackups(platform.objects);
  const kept = new Set([made, ...times.filter((time) => time !== made).slice(0, KEPT_BACKUPS - 1)]);
  const [newest] = times;
  return {
    newestMs: newest === undefined ? null : backupTimeMs(newest),
    removable: keys.filter((key) => !kept.has(timeOf(key))),
  };
}
