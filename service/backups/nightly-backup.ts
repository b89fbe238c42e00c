import type { ObjectKey } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import type { MultipartHandle, StoredPart } from "#service/ports/object-store.ts";
import type { Snapshot, Snapshots } from "#service/ports/snapshots.ts";
import type { MadeBackup } from "./backup-record.ts";
import {
  type BackupTime,
  FACTS_VERSION,
  backupKeys,
  backupTime,
  isBackupKey,
  listStoredBackups,
  timeOf,
} from "./stored-backups.ts";

/*
 * The database goes into the store (stored-backups.ts) every night. An unfinished backup is removed by
 * the next run. Other objects under `backups/` are never touched.
 */

/** Days, UTC, of which all backups are kept: two weeks of nights, and what people asked for meanwhile. */
export const KEPT_DAYS = 14;

/**
 * Makes one backup, proves it by reading it back, and only then removes what exceeds
 * {@link KEPT_DAYS}. After a failure no finished backup is removed; repeating is
 * safe.
 *
 * @throws {StoreError} that of the store
 */
export async function makeBackup(
  context: ServiceContext,
  snapshots: Snapshots,
): Promise<MadeBackup> {
  const { objects, clock } = context.platform;
  const atMs = Math.floor(clock.now() / 1_000) * 1_000;
  const time = backupTime(atMs);
  const { data, facts: factsKey } = backupKeys(time);
  await clearUnfinished(context);
  const snapshot = await snapshots.take();
  const { sizeBytes } = snapshot;
  try {
    await store(context, data, snapshot);
    const stored = await objects.get(data);
    if (stored === null || !(await snapshot.isSame(stored.body)))
      throw new Error("The store did not return the backup as it was written.");
    const { sha256, schema, uploads, files, auditHead, keyFingerprint } = snapshot;
    const counts = { schema, uploads, files, auditHead };
    const facts = { version: FACTS_VERSION, sizeBytes, sha256, ...counts, keyFingerprint };
    await objects.put(factsKey, new TextEncoder().encode(JSON.stringify(facts)), {
      contentType: "application/json",
    });
  } finally {
    await snapshot.remove();
  }
  await snapshots.noteBackup();
  context.log.info("The database is backed up", { key: data, sizeBytes });
  const kept = await removeExcess(context, time);
  return { atMs, sizeBytes, ...kept };
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

/** What a failed run left, or a process that was killed: at most one copy takes up room. */
async function clearUnfinished(context: ServiceContext): Promise<void> {
  const { objects, clock } = context.platform;
  const open = (await objects.listMultiparts()) ?? [];
  for (const handle of open) if (isBackupKey(handle.key)) await abort(context, handle);
  const { sizes, times } = await listStoredBackups(objects, clock.now());
  const finished = new Set(times);
  for (const key of sizes.keys()) {
    if (finished.has(timeOf(key))) continue;
    // A listing may lack the other half of a finished backup.
    const { data, facts } = backupKeys(timeOf(key));
    if ((await objects.head(key === data ? facts : data)) === null) await objects.delete(key);
  }
}

async function abort({ platform, log }: ServiceContext, handle: MultipartHandle): Promise<void> {
  await platform.objects
    .abortMultipart(handle)
    .catch((error: unknown) => log.warn("An unfinished backup stays in the store", { error }));
}

/** Removes what is older than the ones that are kept; never that of `made`. */
async function removeExcess({ platform: { objects, clock } }: ServiceContext, made: BackupTime) {
  const { sizes, times } = await listStoredBackups(objects, clock.now());
  const all = [made, ...times];
  const days = [...new Set(all.map(dayOf))].slice(0, KEPT_DAYS);
  const kept = new Set(all.filter((time) => days.includes(dayOf(time))));
  let keptBytes = 0;
  for (const [key, sizeBytes] of sizes)
    if (kept.has(timeOf(key))) keptBytes += sizeBytes;
    else if (times.includes(timeOf(key))) await objects.delete(key);
  return { kept: kept.size, keptBytes };
}

function dayOf(time: BackupTime): string {
  return time.slice(0, 10);
}
