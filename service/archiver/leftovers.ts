import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { MultipartHandle } from "#service/ports/object-store.ts";
import type { ArchiveRow } from "./archive-row.ts";
import { archiveKeys, sidecarKeys } from "./object-keys.ts";
import { planRemoval } from "./store-removals.ts";

/** A run that was cut off may still be waiting for the store's answer to its last request. */
const LAST_REQUEST_MS = 10_000;

/**
 * For a runner that lost its upload: when it was cancelled or deleted, whatever this run wrote
 * after the administrator's batch had planned the removals must go as well.
 */
export async function removeLeftovers(context: ServiceContext, row: ArchiveRow): Promise<void> {
  const { database, clock } = context.platform;
  const isUnwanted = sql`NOT EXISTS (SELECT 1 FROM uploads
      WHERE id = ${row.id} AND status <> 'cancelled')
    AND NOT EXISTS (SELECT 1 FROM files WHERE upload_id = ${row.id})`;
  const identity = { ownerId: row.owner_id, vodId: row.vod_id, uploadId: row.id };
  const keys = [
    archiveKeys(identity, "ts").object,
    archiveKeys(identity, "fmp4").object,
    ...sidecarKeys(archiveKeys(identity, "ts").object),
  ];
  const atMs = clock.now() + LAST_REQUEST_MS;
  await database.batch(
    keys.map((key) => planRemoval({ key, multipartId: null }, atMs, isUnwanted)),
  );
}

/** Old enough that no runner can be about to put it on record. */
const UNRECORDED_AFTER_MS = 3_600_000;

/** What begins the keys of archives and of files sent by hand; a bucket may hold others' things. */
const OUR_PREFIXES = ["vods/", "manual/"];

/**
 * Aborts multipart uploads of ours that no row knows: a process can die between the store's
 * answer and the record of it. Stores that cannot list them drop them by themselves after a week.
 */
export async function abortUnrecordedMultiparts(context: ServiceContext): Promise<void> {
  const { objects, clock, runtime } = context.platform;
  const multiparts = await objects.listMultiparts();
  const oldMs = runtime.isSoleWriter
    ? runtime.startedAt.getTime()
    : clock.now() - UNRECORDED_AFTER_MS;
  for (const multipart of multiparts ?? []) {
    const isOurs = OUR_PREFIXES.some((prefix) => multipart.key.startsWith(prefix));
    if (!isOurs || multipart.startedAt.getTime() >= oldMs) continue;
    if (await isOnRecord(context, multipart)) continue;
    await objects.abortMultipart(multipart);
    context.log.info("Dropped an upload that no record knows", { key: multipart.key });
  }
}

async function isOnRecord(context: ServiceContext, multipart: MultipartHandle): Promise<boolean> {
  const rows = await context.platform.database.all(sql`
    SELECT 1 FROM uploads WHERE multipart_id = ${multipart.multipartId}
    UNION ALL SELECT 1 FROM store_removals WHERE multipart_id = ${multipart.multipartId}`);
  return rows.length > 0;
}
