import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
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
