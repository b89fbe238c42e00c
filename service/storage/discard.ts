import type { ObjectKey } from "#contract/files.ts";
import type { UploadId } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { dropChat } from "./chat-record.ts";
import { archiveKeys, CONTAINERS, manualObjectKey, manualSidecarKeys } from "./object-keys.ts";
import { planAborts, planDeletions, planPieceRemovals } from "./store-removals.ts";

/** The columns of an upload that determine its objects in the store. */
export type UploadIdentity = {
  readonly id: UploadId;
  readonly kind: string;
  readonly vod_id: string | null;
  readonly owner_id: string;
  readonly filename: string;
};

/** An aborted run may still be waiting for the store's answer to its last request. */
const LAST_REQUEST_MS = 10_000;

/** Discards the parts of an unfinished upload, its incomplete part and its checkpoint. */
export function discardParts(uploadId: UploadId, atMs: number): readonly Statement[] {
  return [
    planAborts(sql`id = ${uploadId}`, atMs),
    ...planPieceRemovals(sql`upload_id = ${uploadId}`, atMs),
    sql`DELETE FROM upload_parts WHERE upload_id = ${uploadId}`,
    sql`DELETE FROM files WHERE upload_id = ${uploadId} AND upload_type = 'chunk'`,
    sql`UPDATE uploads SET multipart_id = NULL WHERE id = ${uploadId}`,
  ];
}

/**
 * Discards everything unfinished of an upload that is cancelled or deleted. A partial file of an
 * earlier run has its own row and is kept with its sidecars.
 */
export function discardUnfinished(upload: UploadIdentity, atMs: number): readonly Statement[] {
  const hasNoFile = sql`NOT EXISTS (SELECT 1 FROM files
    WHERE upload_id = ${upload.id} AND upload_type <> 'chunk')`;
  return [
    ...discardParts(upload.id, atMs),
    ...dropChat(upload.id, atMs, hasNoFile),
    planDeletions(objectKeys(upload), atMs, hasNoFile),
  ];
}

/**
 * For a run that lost its lease: if the upload was cancelled or deleted, also removes what the run
 * wrote after the administrator's batch had planned the removals.
 */
export async function removeStrayObjects(
  { platform }: Pick<ServiceContext, "platform">,
  upload: UploadIdentity,
): Promise<void> {
  const isUnwanted = sql`NOT EXISTS (SELECT 1 FROM uploads
      WHERE id = ${upload.id} AND status <> 'cancelled')
    AND NOT EXISTS (SELECT 1 FROM files WHERE upload_id = ${upload.id})`;
  const atMs = platform.clock.now() + LAST_REQUEST_MS;
  await platform.database.run(planDeletions(objectKeys(upload), atMs, isUnwanted));
}

/** Every object that the upload may leave in the store. */
function objectKeys({
  id,
  kind,
  vod_id,
  owner_id,
  filename,
}: UploadIdentity): readonly ObjectKey[] {
  const identity = { ownerId: owner_id, uploadId: id };
  if (kind === "manual")
    return [manualObjectKey(identity, filename), ...manualSidecarKeys(identity)];
  if (vod_id === null) return [];
  const archive = { ...identity, vodId: vod_id };
  // VODs are segments; only a direct URL may be a whole file.
  const containers = kind === "twitch" ? (["ts", "fmp4"] as const) : CONTAINERS;
  const keys = containers.flatMap((container) => Object.values(archiveKeys(archive, container)));
  return [...new Set(keys)];
}
