import { objectKeySchema } from "#contract/files.ts";
import { decodeManifest, recordedAtMs } from "#service/archiver/archive-manifest.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { isAway, StoreError } from "#service/ports/object-store.ts";
import { sidecarKeys } from "#service/storage/object-keys.ts";
import { readStored } from "#service/storage/read-stored.ts";

/** Archives whose manifests are read in one round. */
const AT_A_TIME = 20;

/**
 * Records when the broadcasts of archives began that are older than this column, from their
 * manifests. Call it regularly: each call continues after the last one, and does nothing once it has
 * reached the newest archive. A start begins again, which finds only those without a manifest.
 */
export function createRecordingTimes({ platform, log }: ServiceContext): () => Promise<void> {
  const { database, objects } = platform;
  let after = 0;
  let isDone = false;
  return async () => {
    if (isDone) return;
    const rows = await database.all(sql`
      SELECT seq, id, object_key FROM uploads INDEXED BY uploads_recorded
      WHERE recorded_at IS NULL AND kind = 'twitch' AND object_key IS NOT NULL AND seq > ${after}
      ORDER BY seq LIMIT ${AT_A_TIME}`);
    for (const row of rows) {
      const [, manifestKey] = sidecarKeys(objectKeySchema.parse(row.object_key));
      try {
        const bytes = manifestKey === undefined ? null : await readStored(objects, manifestKey);
        const manifest = bytes === null ? null : decodeManifest(bytes);
        if (manifest !== null) await record(String(row.id), recordedAtMs(manifest));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        log.warn("A manifest could not be read", { uploadId: row.id, error });
        // One that the store refuses does not hold up the others; a start tries it again.
        if (isAway(error)) return;
      }
      after = Number(row.seq);
    }
    isDone = rows.length < AT_A_TIME;
  };

  async function record(uploadId: string, atMs: number | null): Promise<void> {
    await database.batch([
      sql`UPDATE uploads SET recorded_at = ${atMs}, version = version + 1 WHERE id = ${uploadId}`,
      sql`UPDATE files SET recorded_at = ${atMs} WHERE upload_id = ${uploadId}`,
    ]);
  }
}
