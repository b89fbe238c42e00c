import type { ObjectKey } from "#contract/files.ts";
import type { PictureType, Storyboard } from "#contract/pictures.ts";
import { sql } from "#service/db/sql.ts";
import { SourceError } from "#service/source/source-error.ts";
import { batchUnderLease, isLeased, LeaseLost } from "#service/storage/lease.ts";
import type { PictureKeys } from "#service/storage/object-keys.ts";
import type { ArchiveManifest } from "./archive-manifest.ts";
import { chaptersOfPart } from "./archive-part.ts";
import type { ArchiveRun } from "./archive-run.ts";

/** Extras are read beside the media and the chat, so that an archive waits for them no longer. */
const EXTRAS_MS = 20_000;

/**
 * Reads what an archive is complete without. Never rejects: resolves with null if that fails or
 * takes too long. `signal` also aborts when the time is up.
 */
async function tryExtras<Value>(
  { context, lease, signal }: ArchiveRun,
  what: string,
  read: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | null> {
  const timeUp = new AbortController();
  const ended = new AbortController();
  void context.platform.clock
    .sleep(EXTRAS_MS, ended.signal)
    .then(() => timeUp.abort(new SourceError("try_later", `${what} took too long.`)));
  try {
    return await read(AbortSignal.any([signal, timeUp.signal]));
  } catch (error) {
    if (!signal.aborted && !(error instanceof LeaseLost))
      context.log.warn(`${what} could not be stored; the video is not affected`, {
        uploadId: lease.uploadId,
        error,
      });
    return null;
  } finally {
    ended.abort();
  }
}

/**
 * Adds the item's chapters to the manifest, and stores its pictures unless they are stored already.
 * Never rejects: an archive without them is complete.
 */
export async function archiveExtras(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  keys: PictureKeys,
): Promise<void> {
  await Promise.all([readChapters(run, manifest), storePictures(run, manifest, keys)]);
}

async function readChapters(
  run: ArchiveRun,
  { source: about, part }: ArchiveManifest,
): Promise<void> {
  const { reference, source } = run;
  if (source.readChapters === undefined) return;
  const read = source.readChapters.bind(source, reference);
  const chapters = await tryExtras(run, "The chapters", read);
  if (chapters !== null)
    about.chapters = [...(part === undefined ? chapters : chaptersOfPart(chapters, part))];
}

async function storePictures(
  run: ArchiveRun,
  { part }: ArchiveManifest,
  keys: PictureKeys,
): Promise<void> {
  const { context, reference, source, lease, signal } = run;
  if (source.readPictures === undefined) return;
  const { database, objects } = context.platform;
  const { uploadId } = lease;
  const read = source.readPictures.bind(source, reference);

  async function put(key: ObjectKey, bytes: Uint8Array, contentType: string): Promise<void> {
    signal.throwIfAborted();
    await objects.put(key, bytes, { contentType, metadata: { uploadId } });
  }

  await tryExtras(run, "The pictures", async (either) => {
    const missing = await database.all(sql`
      SELECT 1 FROM uploads WHERE ${isLeased(lease)} AND (has_thumbnail = 0 OR has_storyboard = 0)`);
    if (missing.length === 0) return;
    const { thumbnail, storyboard } = await read(either);
    if (thumbnail !== null) await put(keys.thumbnail, thumbnail.bytes, thumbnail.type);
    if (storyboard !== null) {
      const sheets = storyboard.sheets.map(toDataUrl);
      // Of a part: its place in the VOD, whose storyboard it has.
      const beginsAtSec = part?.beginsAtSec;
      const text = JSON.stringify({ ...storyboard, sheets, beginsAtSec } satisfies Storyboard);
      await put(keys.storyboard, new TextEncoder().encode(text), "application/json");
    }
    await batchUnderLease(database, lease, [
      sql`UPDATE uploads SET has_thumbnail = max(has_thumbnail, ${Number(thumbnail !== null)}),
          has_storyboard = max(has_storyboard, ${Number(storyboard !== null)}), version = version + 1
        WHERE id = ${uploadId}`,
    ]);
  });
}

/** Bytes converted at a time: arguments of one call are limited in number. */
const AT_A_TIME = 8_190;

/** A `data:` URL in base64 (RFC 2397). */
function toDataUrl(picture: { readonly type: PictureType; readonly bytes: Uint8Array }): string {
  const { type, bytes } = picture;
  // Pieces of a multiple of three bytes need no padding, so that their base64 can be joined.
  const pieces: string[] = [];
  for (let from = 0; from < bytes.byteLength; from += AT_A_TIME)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + AT_A_TIME))));
  return `data:${type};base64,${pieces.join("")}`;
}
