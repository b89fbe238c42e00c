import type { ObjectKey } from "#contract/files.ts";
import type { Storyboard } from "#contract/pictures.ts";
import { sql } from "#service/db/sql.ts";
import { toDataUrl } from "#service/pictures/data-url.ts";
import type { SourcePictures } from "#service/source/source.ts";
import { leaseGuard } from "#service/storage/lease.ts";
import type { PictureKeys } from "#service/storage/object-keys.ts";
import type { ArchiveRun } from "./archive-context.ts";
import { tryExtras } from "./archive-extras.ts";
import { referenceOf, type ArchiveRow } from "./archive-row.ts";

/**
 * Stores the item's thumbnail and storyboard, unless they are stored already. Never rejects: an
 * archive without pictures is complete.
 */
export async function archivePictures(
  run: ArchiveRun,
  row: ArchiveRow,
  keys: PictureKeys,
): Promise<void> {
  const { context, source, lease, signal } = run;
  if (source.readPictures === undefined) return;
  const { database } = context.platform;
  const read = source.readPictures.bind(source, referenceOf(row));
  await tryExtras(run, "The pictures", async (either) => {
    const missing = await database.all(sql`
      SELECT 1 FROM uploads WHERE ${leaseGuard(lease)} AND (has_thumbnail = 0 OR has_storyboard = 0)`);
    if (missing.length > 0) await store(await read(either));
  });

  async function store({ thumbnail, storyboard }: SourcePictures): Promise<void> {
    if (thumbnail !== null) await put(keys.thumbnail, thumbnail.bytes, thumbnail.type);
    if (storyboard !== null) {
      const sheets = storyboard.sheets.map(toDataUrl);
      const text = JSON.stringify({ ...storyboard, sheets } satisfies Storyboard);
      await put(keys.storyboard, new TextEncoder().encode(text), "application/json");
    }
    await database.run(sql`
      UPDATE uploads SET has_thumbnail = max(has_thumbnail, ${Number(thumbnail !== null)}),
        has_storyboard = max(has_storyboard, ${Number(storyboard !== null)}),
        version = version + 1
      WHERE ${leaseGuard(lease)}`);
  }

  async function put(key: ObjectKey, bytes: Uint8Array, contentType: string): Promise<void> {
    signal.throwIfAborted();
    const { objects } = context.platform;
    await objects.put(key, bytes, { contentType, metadata: { uploadId: lease.uploadId } });
  }
}
