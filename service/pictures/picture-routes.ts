import * as z from "zod/mini";
import type { ObjectKey } from "#contract/files.ts";
import type { UploadId } from "#contract/ids.ts";
import { MAX_SENT_THUMBNAIL_BYTES } from "#contract/limits.ts";
import * as calls from "#contract/pictures.ts";
import { ApiError } from "#service/api-error.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { actorOf, route, type Actor, type Route } from "#service/http/route.ts";
import { pictureKeys, type PictureKeys } from "#service/storage/object-keys.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { planDeletions } from "#service/storage/store-removals.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { pictureTypeOf } from "#service/source/picture-type.ts";

/** An upload's pictures never change once they are stored. */
const CACHED = "private, max-age=604800, immutable";

const ownerRow = z.object({ owner_id: z.string(), vod_id: z.nullable(z.string()) });

export function pictureRoutes(context: ServiceContext): Route[] {
  const { platform } = context;
  const { database, objects, clock } = platform;

  async function keysOf(uploadId: UploadId): Promise<PictureKeys> {
    const [row] = await database.all(sql`
      SELECT owner_id, vod_id FROM uploads WHERE id = ${uploadId}`);
    if (row === undefined) throw new ApiError("not_found", "There is no such upload.");
    const { owner_id: ownerId, vod_id: vodId } = ownerRow.parse(row);
    return pictureKeys({ ownerId, vodId, uploadId });
  }

  async function read(key: ObjectKey): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await readStored(objects, key);
    if (bytes === null) throw new ApiError("not_found", "This upload has no such picture.");
    return bytes;
  }

  /** Only once, so that cached pictures stay true. */
  async function storeThumbnail(
    uploadId: UploadId,
    bytes: Uint8Array<ArrayBuffer>,
    actor: Actor,
  ): Promise<void> {
    const contentType = pictureTypeOf(bytes);
    if (contentType === null || bytes.byteLength > MAX_SENT_THUMBNAIL_BYTES)
      throw new ApiError("invalid_request", "This is not a small JPEG, PNG or WebP picture.");
    const { thumbnail } = await keysOf(uploadId);
    const isAwaited = sql`id = ${uploadId} AND kind = 'manual' AND status IN ('processing', 'completed')
      AND owner_id = ${actor.actorId} AND object_key IS NOT NULL`;
    const awaiting = await database.all(sql`
      SELECT 1 FROM uploads WHERE ${isAwaited} AND has_thumbnail = 0`);
    if (awaiting.length === 0)
      throw new ApiError(
        "conflict",
        "Only a manual upload of yours without a picture accepts one, after its first bytes have arrived.",
      );
    await objects.put(thumbnail, bytes, { contentType, metadata: { uploadId } });
    const nowMs = clock.now();
    await database.batch([
      ...recordedChange(
        sql`UPDATE uploads SET has_thumbnail = 1, version = version + 1, updated_at = ${nowMs}
          WHERE ${isAwaited} AND has_thumbnail = 0`,
        nowMs,
        {
          audit: {
            ...actor,
            action: "upload.thumbnail",
            target: uploadId,
            after: { sizeBytes: bytes.byteLength },
          },
        },
      ),
      // The file may have been deleted in the meantime.
      planDeletions([thumbnail], nowMs, sql`NOT EXISTS (SELECT 1 FROM uploads WHERE ${isAwaited})`),
    ]);
    await publishUpload(platform, uploadId);
  }

  return [
    route(calls.getThumbnail, async ({ params }) => {
      const { thumbnail } = await keysOf(params.id);
      const bytes = await read(thumbnail);
      const type = pictureTypeOf(bytes);
      if (type === null) throw new ApiError("not_found", "The stored picture cannot be shown.");
      return new Response(bytes, { headers: { "content-type": type, "cache-control": CACHED } });
    }),

    route(calls.sendThumbnail, async ({ params, body, context: request }) => {
      const bytes = Uint8Array.from(atob(body.picture), (character) => character.charCodeAt(0));
      await storeThumbnail(params.id, bytes, actorOf(request));
      return { id: params.id };
    }),

    route(calls.getStoryboard, async ({ params, context: request }) => {
      const { storyboard } = await keysOf(params.id);
      const text = new TextDecoder().decode(await read(storyboard));
      request.responseHeaders.set("cache-control", CACHED);
      return calls.storyboardSchema.parse(JSON.parse(text));
    }),
  ];
}
