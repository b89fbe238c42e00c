import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { ArchiveRow } from "./archive-row.ts";
import { archiveKeys, sidecarKeys } from "./object-keys.ts";
import { planRemoval } from "./store-removals.ts";

/** An aborted run may still be waiting for the store's answer to its last request. */
const LAST_REQUEST_MS = 10_000;

/**
 * For a run that lost its lease: if the upload was cancelled or deleted, also removes what the run
 * wrote after the administrator's batch had planned the removals.
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
