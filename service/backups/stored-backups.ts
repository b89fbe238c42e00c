import * as z from "zod/mini";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { SnapshotFacts } from "#service/ports/snapshots.ts";

/*
 * A backup in the store: `backups/vodkeep-<UTC time>.db.gz`, and its digest and counts in a `.json`
 * beside it, which is written once the backup was read back whole. One without is unfinished.
 */
const PREFIX = "backups/vodkeep-";
const OWN_KEY = /^backups\/vodkeep-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)Z\.(db\.gz|json)$/;

export const factsSchema: z.ZodMiniType<SnapshotFacts> = z.object({
  sizeBytes: z.number(),
  sha256: z.string(),
  schema: z.string(),
  uploads: z.number(),
  files: z.number(),
  auditHead: z.nullable(z.string()),
});

/** A backup's time, to the second, as in its keys. */
export type BackupTime = string;

export function backupTime(atMs: number): BackupTime {
  return new Date(atMs).toISOString().slice(0, 19).replaceAll(":", "-");
}

export function backupTimeMs(time: BackupTime): number {
  return Date.parse(`${time.replace(/T(..)-(..)-/, "T$1:$2:")}Z`);
}

export function backupKeys(time: BackupTime): {
  readonly data: ObjectKey;
  readonly facts: ObjectKey;
} {
  return {
    data: objectKeySchema.parse(`${PREFIX}${time}Z.db.gz`),
    facts: objectKeySchema.parse(`${PREFIX}${time}Z.json`),
  };
}

export function isBackupKey(key: ObjectKey): boolean {
  return OWN_KEY.test(key);
}

/** All keys, and the times of the finished backups, the newest first. */
export async function listStoredBackups(
  objects: Pick<ObjectStore, "list">,
): Promise<{ readonly keys: readonly ObjectKey[]; readonly times: readonly BackupTime[] }> {
  const keys: ObjectKey[] = [];
  let cursor: string | null = null;
  do {
    const page = await objects.list({ prefix: PREFIX, ...(cursor !== null && { cursor }) });
    keys.push(...page.objects.map(({ key }) => key).filter(isBackupKey));
    ({ cursor } = page);
  } while (cursor !== null);
  const finished = keys.filter((key) => key.endsWith(".json")).map(timeOf);
  return { keys, times: finished.sort().reverse() };
}

export function timeOf(key: ObjectKey): BackupTime {
  return OWN_KEY.exec(key)?.[1] ?? "";
}
