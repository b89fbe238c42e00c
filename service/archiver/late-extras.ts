import { objectKeySchema, type Chapter, type ObjectKey } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { Source, Sources } from "#service/source/source.ts";
import { mayCopy } from "#service/storage/consent-pause.ts";
import { pictureKeys, sidecarKeys } from "#service/storage/object-keys.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { planDeletions } from "#service/storage/store-removals.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { putPictures } from "./archive-extras.ts";
import { decodeManifest, type ArchiveManifest } from "./archive-manifest.ts";
import type { ArchiveRun } from "./archive-run.ts";
import * as z from "zod/mini";

/*
 * An archive is complete without chapters, thumbnail and storyboard. If some of them could not be
 * read beside the video, they are tried again after its completion. One that the source does not have
 * cannot be told from one that failed, so that the attempts are few: 1, 5, 21 and 85 minutes later.
 */
const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 60_000;

/** A sweep of another process does not take the same ones meanwhile. */
const READ_WITHIN_MS = 30_000;

/** For the batch that completes the archive. */
export function planLateExtras(
  { context, row, source }: ArchiveRun,
  manifest: ArchiveManifest,
): readonly Statement[] {
  const lacksChapters = source.readChapters !== undefined && manifest.source.chapters === undefined;
  const lacksPictures =
    source.readPictures === undefined ? sql`FALSE` : sql`(has_thumbnail = 0 OR has_storyboard = 0)`;
  return [
    sql`INSERT INTO late_extras (upload_id, next_attempt_at)
      SELECT id, ${context.platform.clock.now() + FIRST_DELAY_MS} FROM uploads
      WHERE id = ${row.id} AND (${Number(lacksChapters)} OR ${lacksPictures})
      ON CONFLICT DO NOTHING`,
  ];
}

const lateRow = z.object({
  id: uploadIdSchema,
  kind: z.string(),
  vod_id: z.string(),
  source_url: z.nullable(z.string()),
  owner_id: z.string(),
  has_thumbnail: z.number(),
  has_storyboard: z.number(),
  object_key: objectKeySchema,
  lacks_chapters: z.number(),
});
type LateRow = z.infer<typeof lateRow>;

/** Tries the archive that is due longest, if there is one. Call every few seconds. */
export async function readLateExtras(context: ServiceContext, sources: Sources): Promise<void> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const { rows } = await database.run(sql`
    UPDATE late_extras SET attempts = attempts + 1,
      next_attempt_at = ${nowMs} + ${FIRST_DELAY_MS} * (4 << (2 * attempts))
    WHERE upload_id = (SELECT upload_id FROM late_extras
      WHERE ${isPast(sql`next_attempt_at`, nowMs)} AND EXISTS (SELECT 1 FROM uploads
        WHERE id = late_extras.upload_id AND ${mayCopy}) ORDER BY next_attempt_at LIMIT 1)
    RETURNING upload_id`);
  const uploadId = rows[0]?.upload_id;
  if (uploadId === undefined) return;
  const row = await findRow(context, String(uploadId));
  const source = row === null ? undefined : sources[row.kind];
  if (row !== null && source !== undefined) {
    try {
      await readExtras(context, row, source);
    } catch (error) {
      context.log.info("The pictures or chapters could not be read", { uploadId, error });
    }
    await publishUpload(context.platform, row.id);
  }
  const left = await findRow(context, String(uploadId));
  const isDone = left === null || !lacksAny(left);
  await database.run(sql`DELETE FROM late_extras
    WHERE upload_id = ${String(uploadId)} AND (${Number(isDone)} OR attempts >= ${MAX_ATTEMPTS})`);
}

async function findRow({ platform }: ServiceContext, uploadId: string): Promise<LateRow | null> {
  const [row] = await platform.database.all(sql`
    SELECT u.id, u.kind, u.vod_id, u.source_url, u.owner_id, u.has_thumbnail, u.has_storyboard,
      f.object_key, json_type(f.metadata, '$.chapters') IS NULL AS lacks_chapters
    FROM uploads u JOIN files f ON f.upload_id = u.id AND f.upload_type <> 'chunk'
    WHERE u.id = ${uploadId} AND u.status = 'completed'`);
  return row === undefined ? null : lateRow.parse(row);
}

function lacksAny(row: LateRow): boolean {
  return row.lacks_chapters === 1 || row.has_thumbnail === 0 || row.has_storyboard === 0;
}

async function readExtras(context: ServiceContext, row: LateRow, source: Source): Promise<void> {
  const reference = row.source_url ?? row.vod_id;
  const signal = AbortSignal.timeout(READ_WITHIN_MS);
  if (row.lacks_chapters === 1 && source.readChapters !== undefined)
    await storeChapters(context, row, await source.readChapters(reference, signal));
  if ((row.has_thumbnail === 0 || row.has_storyboard === 0) && source.readPictures !== undefined) {
    const pictures = await source.readPictures(reference, signal);
    const keys = pictureKeys({ ownerId: row.owner_id, vodId: row.vod_id, uploadId: row.id });
    const change = await putPictures(context.platform, row.id, keys, pictures, signal);
    await recordStored(context, row, Object.values(keys), change);
  }
}

/** In the manifest, from which the index can be rebuilt, and with the file. */
async function storeChapters(
  context: ServiceContext,
  row: LateRow,
  chapters: readonly Chapter[],
): Promise<void> {
  const { objects } = context.platform;
  const manifestKey = sidecarKeys(row.object_key).find((sidecar) =>
    sidecar.endsWith(".manifest.json"),
  );
  const bytes = manifestKey === undefined ? null : await readStored(objects, manifestKey);
  const manifest = bytes === null ? null : decodeManifest(bytes);
  if (manifestKey === undefined || manifest === null) return;
  manifest.source.chapters = [...chapters];
  await objects.put(manifestKey, new TextEncoder().encode(JSON.stringify(manifest)), {
    contentType: "application/json",
    metadata: { uploadId: row.id },
  });
  await recordStored(
    context,
    row,
    [manifestKey],
    sql`UPDATE files SET
        metadata = json_set(metadata, '$.chapters', json(${JSON.stringify(chapters)}))
      WHERE object_key = ${row.object_key}`,
  );
}

/** If the file was deleted meanwhile, removes what was stored beside it. */
async function recordStored(
  { platform }: ServiceContext,
  { object_key: key }: LateRow,
  stored: readonly ObjectKey[],
  change: Statement,
): Promise<void> {
  const { database, clock } = platform;
  const isThere = sql`EXISTS (SELECT 1 FROM files WHERE object_key = ${key})`;
  if ((await batchIf(database, isThere, [change])) === null)
    await database.run(planDeletions(stored, clock.now()));
}
