import * as z from "zod/mini";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import type { Write } from "#service/ports/database.ts";
import { isAway, type ObjectHead, StoreError } from "#service/ports/object-store.ts";
import { liftDamage, recordDamage } from "./file-damage.ts";
import { refreshOrphan } from "./orphaned-files.ts";

const fileRow = z.object({
  object_key: objectKeySchema,
  status: z.enum(["complete", "partial", "orphaned"]),
  size_bytes: z.number(),
  last_modified_at: z.number(),
  is_noted: z.number(),
  /** 1 if the reconciler added the row, with the store's size and modification time. */
  is_found: z.number(),
});
type FoundFile = z.infer<typeof fileRow>;

const SELECT_FILE = sql`
  SELECT object_key, status, size_bytes, last_modified_at,
    json_extract(metadata, '$.foundSizeBytes') IS NOT NULL AS is_noted,
    json_extract(metadata, '$.foundAt') IS NOT NULL AS is_found
  FROM files`;

/** Rows read at a time; bounds memory if the store has lost everything. */
const ROWS_AT_A_TIME = 1_000;

/**
 * If more files than this and more than half of a batch are missing, a wrong bucket or an unmounted
 * disk is more likely, so a warning is sent and no file is marked.
 */
const MOST_AT_ONCE = 20;

/** The listing is believed about many files if a request for some of them agrees. */
const ASKED_AT_ONCE = 3;

/** A file is lost if two scans miss it, this far apart: nothing but a loss lasts so long unnoticed. */
const MISSING_FOR_MS = 10 * 60_000;

/** One notification a day about a store that looks wrong. */
const TELL_AGAIN_MS = 24 * 3_600_000;

/**
 * Compares the files between two keys with the listing of scan number `scan`. Returns the keys that
 * have a file. Unfinished uploads have no object yet and are skipped.
 */
export async function markMismatches(
  context: ServiceContext,
  scan: number,
  listed: ReadonlyMap<string, ObjectHead>,
  afterKey: string,
  untilKey: string,
): Promise<ReadonlySet<string>> {
  const recorded = new Set<string>();
  let after = afterKey;
  for (;;) {
    const rows = await context.platform.database.all(sql`${SELECT_FILE}
      WHERE object_key > ${after} AND object_key <= ${untilKey} AND upload_type <> 'chunk'
      ORDER BY object_key LIMIT ${ROWS_AT_A_TIME}`);
    const files = rows.map((row) => fileRow.parse(row));
    for (const { object_key: key } of files) recorded.add(key);
    await evaluateStretch(context, scan, listed, files);
    const last = files.at(-1);
    if (last === undefined || files.length < ROWS_AT_A_TIME) return recorded;
    after = last.object_key;
  }
}

/** Compares one file with the store; one that is missing is left to the scans. */
export async function markIfDamaged(context: ServiceContext, key: ObjectKey): Promise<void> {
  const [row] = await context.platform.database.all(sql`${SELECT_FILE} WHERE object_key = ${key}`);
  if (row !== undefined) await evaluateFile(context, null, fileRow.parse(row));
}

async function evaluateStretch(
  context: ServiceContext,
  scan: number,
  listed: ReadonlyMap<string, ObjectHead>,
  files: readonly FoundFile[],
): Promise<void> {
  const unlisted = files.filter((file) => !listed.has(file.object_key));
  if (unlisted.length > MOST_AT_ONCE && unlisted.length > files.length / 2) {
    const { objects } = context.platform;
    const asked = unlisted.slice(0, ASKED_AT_ONCE).map(({ object_key: key }) => objects.head(key));
    if ((await Promise.all(asked)).every((head) => head === null))
      await warnOfStore(context, unlisted.length, files.length);
    else context.log.warn("The store's listing lacks objects that it has", { store: objects.name });
    return;
  }
  for (const file of files)
    if (file.is_noted === 1 || !isAsListed(file, listed.get(file.object_key)))
      await evaluateFile(context, scan, file);
}

function isAsListed(file: FoundFile, head: ObjectHead | undefined): boolean {
  if (head?.sizeBytes !== file.size_bytes) return false;
  const isTimed = file.status === "orphaned" && file.is_found === 1;
  return !isTimed || head.lastModifiedAt.getTime() === file.last_modified_at;
}

async function warnOfStore(
  { platform, log }: ServiceContext,
  missing: number,
  of: number,
): Promise<void> {
  const nowMs = platform.clock.now();
  const { name } = platform.objects;
  log.error("Most files are not in the store; is it the right one?", { store: name, missing, of });
  await platform.database.run(
    notificationEventIf(
      {
        type: "service_unhealthy",
        subject: "store",
        title: "Most stored files cannot be found",
        body: `${missing} of ${of} files are not in ${name}. Is it the right store, and is its disk mounted?`,
        link: "/system",
      },
      nowMs,
      sql`NOT EXISTS (SELECT 1 FROM notification_events WHERE type = 'service_unhealthy'
        AND subject = 'store' AND created_at > ${nowMs - TELL_AGAIN_MS})`,
    ),
  );
}

/**
 * Checks this one object again, because the listing may be older than the row. One that the store
 * refuses to show is left alone.
 */
async function evaluateFile(
  context: ServiceContext,
  scan: number | null,
  file: FoundFile,
): Promise<void> {
  const { object_key: key } = file;
  try {
    const head = await context.platform.objects.head(key);
    if (file.status === "orphaned")
      await (head === null ? forgetOrphan(context, file) : refreshOrphan(context, head));
    else if (head?.sizeBytes === file.size_bytes)
      await liftDamage(context, key, ["size"], unleased(context));
    else if (file.is_noted === 0 && (head !== null || (await isMissingAgain(context, scan, key))))
      await markDamaged(context, file, head);
  } catch (error) {
    if (!(error instanceof StoreError) || isAway(error)) throw error;
    context.log.warn("The store refuses to show a file", { key, error });
  }
}

/** Notes that `scan` misses the object; true if an earlier one did, long enough ago. */
async function isMissingAgain(
  { platform }: ServiceContext,
  scan: number | null,
  key: ObjectKey,
): Promise<boolean> {
  if (scan === null) return false;
  const nowMs = platform.clock.now();
  const { rows } = await platform.database.run(sql`
    INSERT INTO scan_findings (object_key, kind, scan, found_at, version)
    VALUES (${key}, 'missing', ${scan}, ${nowMs}, '')
    ON CONFLICT (object_key) DO UPDATE SET kind = excluded.kind, scan = excluded.scan, version = '',
      found_at = iif(kind = excluded.kind, found_at, excluded.found_at)
    RETURNING found_at`);
  return Number(rows[0]?.found_at ?? nowMs) <= nowMs - MISSING_FOR_MS;
}

async function markDamaged(
  context: ServiceContext,
  file: FoundFile,
  head: ObjectHead | null,
): Promise<void> {
  const problem =
    head === null
      ? "The store no longer has this file."
      : `The store holds ${formatBytes(head.sizeBytes)} instead of ${formatBytes(file.size_bytes)}.`;
  const damage = {
    subject: "size",
    problem,
    metadata: { foundSizeBytes: head?.sizeBytes ?? 0 },
    notedAt: "$.foundSizeBytes",
    lastModifiedAt: file.last_modified_at,
    action: head === null ? "file.missing" : "file.damage",
  } as const;
  const isMarked = await recordDamage(context, file.object_key, damage, unleased(context));
  if (isMarked) context.log.error("A stored file is incomplete", { key: file.object_key, problem });
}

/** A scan has no lease: each of its findings holds by itself. */
function unleased({ platform: { database } }: ServiceContext): Write {
  return (statements) => database.batch(statements);
}

/** Deletes the row of an orphan that was removed from the store by other means. */
async function forgetOrphan(context: ServiceContext, file: FoundFile): Promise<void> {
  const nowMs = context.platform.clock.now();
  await context.platform.database.batch(
    recordedChange(
      sql`DELETE FROM files WHERE object_key = ${file.object_key} AND status = 'orphaned'`,
      nowMs,
      {
        audit: {
          actorId: null,
          action: "file.forget",
          target: file.object_key,
          reason: "The store no longer has it.",
        },
      },
    ),
  );
}
