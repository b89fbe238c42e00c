import type { Chapter, ObjectKey } from "#contract/files.ts";
import type { PictureType, Storyboard } from "#contract/pictures.ts";
import type { UploadId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { Statement } from "#service/ports/database.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { SourcePictures } from "#service/source/source.ts";
import { batchUnderLease, isLeased, LeaseLost } from "#service/storage/lease.ts";
import type { PictureKeys } from "#service/storage/object-keys.ts";
import { chaptersOfPart, type PlannedPart } from "./archive-part.ts";
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

/** The item's chapters; null if they cannot be read. */
export async function readArchiveChapters(
  run: ArchiveRun,
  part: PlannedPart | undefined,
): Promise<readonly Chapter[] | null> {
  const { reference, source } = run;
  if (source.readChapters === undefined) return null;
  const read = source.readChapters.bind(source, reference);
  const chapters = await tryExtras(run, "The chapters", read);
  return chapters === null || part === undefined ? chapters : chaptersOfPart(chapters, part);
}

/**
 * Stores the item's thumbnail and storyboard, unless they are stored already. Never rejects: an
 * archive without pictures is complete.
 */
export async function archivePictures(
  run: ArchiveRun,
  keys: PictureKeys,
  part: PlannedPart | undefined,
): Promise<void> {
  const { context, reference, source, lease, signal } = run;
  if (source.readPictures === undefined) return;
  const { database } = context.platform;
  const read = source.readPictures.bind(source, reference);
  await tryExtras(run, "The pictures", async (either) => {
    const missing = await database.all(sql`
      SELECT 1 FROM uploads WHERE ${isLeased(lease)} AND (has_thumbnail = 0 OR has_storyboard = 0)`);
    if (missing.length === 0) return;
    const pictures = await read(either);
    const change = await putPictures(
      context.platform,
      { uploadId: lease.uploadId, keys, beginsAtSec: part?.beginsAtSec },
      pictures,
      signal,
    );
    await batchUnderLease(database, lease, [change]);
  });
}

type PicturedUpload = {
  readonly uploadId: UploadId;
  readonly keys: PictureKeys;
  /** Of a part: its place in the VOD, whose storyboard it has. */
  readonly beginsAtSec: number | undefined;
};

/** Resolves with the statement that records what was stored. */
export async function putPictures(
  { objects }: Pick<Platform, "objects">,
  { uploadId, keys, beginsAtSec }: PicturedUpload,
  { thumbnail, storyboard }: SourcePictures,
  signal: AbortSignal,
): Promise<Statement> {
  async function put(key: ObjectKey, bytes: Uint8Array, contentType: string): Promise<void> {
    signal.throwIfAborted();
    await objects.put(key, bytes, { contentType, metadata: { uploadId } });
  }

  if (thumbnail !== null) await put(keys.thumbnail, thumbnail.bytes, thumbnail.type);
  if (storyboard !== null) {
    const sheets = storyboard.sheets.map(toDataUrl);
    const text = JSON.stringify({ ...storyboard, sheets, beginsAtSec } satisfies Storyboard);
    await put(keys.storyboard, new TextEncoder().encode(text), "application/json");
  }
  return sql`UPDATE uploads SET has_thumbnail = max(has_thumbnail, ${Number(thumbnail !== null)}),
      has_storyboard = max(has_storyboard, ${Number(storyboard !== null)}), version = version + 1
    WHERE id = ${uploadId}`;
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
