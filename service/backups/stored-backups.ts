import * as z from "zod/mini";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { SnapshotFacts } from "#service/ports/snapshots.ts";

/*
 * A backup in the store: `backups/vodkeep-<UTC time>.db.gz`, and its digest and counts in a `.json`
 * beside it, which is written once the backup was read back whole. One of the two alone is unfinished.
 */
const PREFIX = "backups/vodkeep-";
const OWN_KEY = /^backups\/vodkeep-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)Z\.(db\.gz|json)$/;

export const FACTS_VERSION = 1;

export const factsSchema: z.ZodMiniType<SnapshotFacts> = z.object({
  /** Higher for what this version could not read. */
  version: z._default(z.literal(FACTS_VERSION), FACTS_VERSION),
  sizeBytes: z.number(),
  sha256: z.string(),
  schema: z.string(),
  uploads: z.number(),
  files: z.number(),
  auditHead: z.nullable(z.string()),
  keyFingerprint: z._default(z.nullable(z.string()), null),
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

export type StoredBackups = {
  readonly sizes: ReadonlyMap<ObjectKey, number>;
  /** Of the finished ones, the newest first. */
  readonly times: readonly BackupTime[];
};

const DAY_MS = 86_400_000;

/**
 * All backups. Times more than a day ahead of `nowMs` come last: such a backup was made while the
 * clock was wrong, and nothing is known of its age.
 */
export async function listStoredBackups(
  objects: Pick<ObjectStore, "list">,
  nowMs: number,
): Promise<StoredBackups> {
  const sizes = new Map<ObjectKey, number>();
  let cursor: string | null = null;
  do {
    const page = await objects.list({ prefix: PREFIX, ...(cursor !== null && { cursor }) });
    for (const { key, sizeBytes } of page.objects) if (isBackupKey(key)) sizes.set(key, sizeBytes);
    ({ cursor } = page);
  } while (cursor !== null);
  const times = [...sizes.keys()]
    .filter((key) => key.endsWith(".json") && sizes.has(backupKeys(timeOf(key)).data))
    .map(timeOf)
    .sort()
    .reverse();
  const isAhead = (time: BackupTime) => backupTimeMs(time) > nowMs + DAY_MS;
  return {
    sizes,
    times: [...times.filter((time) => !isAhead(time)), ...times.filter(isAhead)],
  };
}

export function timeOf(key: ObjectKey): BackupTime {
  return OWN_KEY.exec(key)?.[1] ?? "";
}
