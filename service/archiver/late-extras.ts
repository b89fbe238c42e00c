import { objectKeySchema, type Chapter, type ObjectKey } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { requirement } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { again, end, type Job, JobLost, keep, plan } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import type { Source, Sources } from "#service/source/source.ts";
import { mayCopyOfJob } from "#service/storage/consent-pause.ts";
import { vodOf } from "#service/storage/item-id.ts";
import { pictureKeys, sidecarKeys } from "#service/storage/object-keys.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { planDeletions } from "#service/storage/store-removals.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { putPictures } from "./archive-extras.ts";
import { decodeManifest, type ArchiveManifest } from "./archive-manifest.ts";
import { chaptersOfPart } from "./archive-part.ts";
import type { ArchiveRun } from "./archive-run.ts";
import * as z from "zod/mini";

/*
 * An archive is complete without chapters, thumbnail and storyboard. If some of them could not be
 * read beside the video, they are tried again after its completion. One that the source does not have
 * cannot be told from one that failed, so that the tries are few.
 */
const FIRST_DELAY_MS = 60_000;

const READ_WITHIN_MS = 30_000;

/** For the batch that completes the archive. */
export function planLateExtras(
  { context, row, source }: ArchiveRun,
  manifest: ArchiveManifest,
): Statement {
  const lacksChapters = source.readChapters !== undefined && manifest.source.chapters === undefined;
  const lacksPictures =
    source.readPictures === undefined ? sql`FALSE` : sql`(has_thumbnail = 0 OR has_storyboard = 0)`;
  const lacksSome = sql`(${Number(lacksChapters)} OR ${lacksPictures})`;
  return plan(
    "extras",
    row.id,
    context.platform.clock.now() + FIRST_DELAY_MS,
    sql`EXISTS (SELECT 1 FROM uploads WHERE id = ${row.id} AND ${lacksSome})`,
  );
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
  /** Of a part, its place in the VOD. */
  begins_at_sec: z.nullable(z.number()),
});
type LateRow = z.infer<typeof lateRow>;

/** The key of a job is the upload's id. */
export function lateExtrasJob(context: ServiceContext, sources: Sources): JobHandler {
  const { platform, log } = context;
  return {
    mayRun: mayCopyOfJob,
    async run(job) {
      const row = await findRow(context, job.key);
      const source = row === null ? undefined : sources[row.kind];
      if (row === null || source === undefined) {
        await end(platform, job);
        return;
      }
      let message = "The source does not have all pictures and chapters.";
      try {
        await readExtras(context, job, row, source);
      } catch (error) {
        if (error instanceof JobLost) throw error;
        log.info("The pictures or chapters could not be read", { uploadId: row.id, error });
        if (error instanceof Error) ({ message } = error);
      }
      await publishUpload(platform, row.id);
      const left = await findRow(context, row.id);
      if (left === null || !lacksAny(left)) await end(platform, job);
      else await again(platform, job, { message });
    },
  };
}

async function findRow({ platform }: ServiceContext, uploadId: string): Promise<LateRow | null> {
  const [row] = await platform.database.all(sql`
    SELECT u.id, u.kind, u.vod_id, u.source_url, u.owner_id, u.has_thumbnail, u.has_storyboard,
      json_extract(f.metadata, '$.beginsAtSec') AS begins_at_sec, f.object_key, json_type(f.metadata, '$.chapters') IS NULL AS lacks_chapters
    FROM uploads u JOIN files f ON f.upload_id = u.id AND f.upload_type <> 'chunk'
    WHERE u.id = ${uploadId} AND u.status = 'completed'`);
  return row === undefined ? null : lateRow.parse(row);
}

function lacksAny(row: LateRow): boolean {
  return row.lacks_chapters === 1 || row.has_thumbnail === 0 || row.has_storyboard === 0;
}

async function readExtras(
  context: ServiceContext,
  job: Job,
  row: LateRow,
  source: Source,
): Promise<void> {
  const reference = row.source_url ?? vodOf(row.vod_id);
  const signal = AbortSignal.timeout(READ_WITHIN_MS);
  if (row.lacks_chapters === 1 && source.readChapters !== undefined)
    await storeChapters(context, job, row, await source.readChapters(reference, signal));
  if ((row.has_thumbnail === 0 || row.has_storyboard === 0) && source.readPictures !== undefined) {
    const pictures = await source.readPictures(reference, signal);
    const keys = pictureKeys({ ownerId: row.owner_id, vodId: row.vod_id, uploadId: row.id });
    const beginsAtSec = row.begins_at_sec ?? undefined;
    const about = { uploadId: row.id, keys, beginsAtSec };
    const change = await putPictures(context.platform, about, pictures, signal);
    await recordStored(context, job, row, Object.values(keys), change);
  }
}

/** In the manifest, from which the index can be rebuilt, and with the file. */
async function storeChapters(
  context: ServiceContext,
  job: Job,
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
  const ofVideo = manifest.part === undefined ? chapters : chaptersOfPart(chapters, manifest.part);
  manifest.source.chapters = [...ofVideo];
  await objects.put(manifestKey, new TextEncoder().encode(JSON.stringify(manifest)), {
    contentType: "application/json",
    metadata: { uploadId: row.id },
  });
  await recordStored(
    context,
    job,
    row,
    [manifestKey],
    sql`UPDATE files SET
        metadata = json_set(metadata, '$.chapters', json(${JSON.stringify(ofVideo)}))
      WHERE object_key = ${row.object_key}`,
  );
}

/** If the file was deleted meanwhile, removes what was stored beside it. */
async function recordStored(
  { platform }: ServiceContext,
  job: Job,
  { object_key: key }: LateRow,
  stored: readonly ObjectKey[],
  change: Statement,
): Promise<void> {
  const isThere = sql`EXISTS (SELECT 1 FROM files WHERE object_key = ${key})`;
  try {
    await keep(platform, job, [requirement(isThere), change]);
  } catch (error) {
    if (error instanceof JobLost)
      await platform.database.run(planDeletions(stored, platform.clock.now(), sql`NOT ${isThere}`));
    throw error;
  }
}
