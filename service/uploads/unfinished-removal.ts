import type { ObjectKey } from "#contract/files.ts";
import type { UploadId } from "#contract/ids.ts";
import { archiveKeys, sidecarKeys } from "#service/archiver/object-keys.ts";
import { planRemoval } from "#service/archiver/store-removals.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { manualManifestKey } from "./manual-keys.ts";
import { dropPlannedPieces } from "./manual-pieces.ts";

/** The columns of an upload that determine its objects in the store. */
export type UnfinishedUpload = {
  readonly id: UploadId;
  readonly kind: "twitch" | "manual";
  readonly vod_id: string | null;
  readonly owner_id: string;
  readonly object_key: ObjectKey | null;
  readonly multipart_id: string | null;
};

/**
 * Statements that remove everything unfinished. A partial file of an earlier run has its own row
 * and is kept with its sidecars.
 */
export function removeUnfinished(
  row: UnfinishedUpload,
  atMs: number,
  isOurs: Statement,
): readonly Statement[] {
  const statements: Statement[] = [];
  const key = row.object_key;
  if (key !== null && row.multipart_id !== null) {
    statements.push(planRemoval({ key, multipartId: row.multipart_id }, atMs, isOurs));
  }
  const hasNoFile = sql`${isOurs} AND NOT EXISTS (SELECT 1 FROM files
    WHERE upload_id = ${row.id} AND upload_type <> 'chunk')`;
  for (const leftover of leftoverKeys(row)) {
    statements.push(planRemoval({ key: leftover, multipartId: null }, atMs, hasNoFile));
  }
  if (row.kind === "manual") statements.push(dropPlannedPieces(row.id, atMs, isOurs));
  statements.push(
    sql`DELETE FROM files WHERE upload_id = ${row.id} AND upload_type = 'chunk' AND ${isOurs}`,
    sql`INSERT INTO store_removals (object_key, not_before_at)
      SELECT object_key, ${atMs} FROM upload_tails WHERE upload_id = ${row.id} AND ${isOurs}`,
    sql`DELETE FROM upload_tails WHERE upload_id = ${row.id} AND ${isOurs}`,
  );
  return statements;
}

function leftoverKeys(row: UnfinishedUpload): readonly ObjectKey[] {
  const object = row.object_key === null ? [] : [row.object_key];
  if (row.kind === "manual")
    return [...object, manualManifestKey({ ownerId: row.owner_id, uploadId: row.id })];
  if (row.vod_id === null) return object;
  const identity = { ownerId: row.owner_id, vodId: row.vod_id, uploadId: row.id };
  return [...object, ...sidecarKeys(archiveKeys(identity, "ts").object)];
}
