import type { ObjectKey, UploadType } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { isTwitchItem } from "./item-id.ts";

/** What a key contains: keys are made of ids, so every object names its upload. */
export type KeyOwner = {
  readonly uploadType: Exclude<UploadType, "chunk">;
  readonly ownerId: string;
  readonly vodId: string | null;
  readonly uploadId: string;
  /** True for a playlist, chat, manifest or picture, which belong to the upload's main object. */
  readonly isSidecar: boolean;
};

/** Prefixes under which the service keeps finished objects. */
export const OBJECT_PREFIXES = ["manual/", "vods/"] as const;

const ARCHIVE_KEY =
  /^vods\/([^/]+)\/([^/]+)\/([^/.]+)((?:\.manifest|\.chat|\.storyboard)\.json|\.\w+)$/;
const MANUAL_KEY = /^manual\/([^/]+)\/([^/.]+)(\.manifest\.json|\.thumbnail|\/[^/]+)$/;
const SIDECARS: ReadonlySet<string> = new Set([
  ".m3u8",
  ".manifest.json",
  ".chat.json",
  ".thumbnail",
  ".storyboard.json",
]);

/** Returns null for a key that the service does not create. */
export function ownerOfKey(key: string): KeyOwner | null {
  const archive = ARCHIVE_KEY.exec(key);
  if (archive !== null) {
    const [, ownerId = "", vodId = "", uploadId = "", ending = ""] = archive;
    const uploadType = isTwitchItem(vodId) ? "twitch" : "url";
    return { uploadType, ownerId, vodId, uploadId, isSidecar: SIDECARS.has(ending) };
  }
  const [, ownerId, uploadId, ending = ""] = MANUAL_KEY.exec(key) ?? [];
  if (ownerId === undefined || uploadId === undefined) return null;
  const isSidecar = SIDECARS.has(ending);
  return { uploadType: "manual", ownerId, vodId: null, uploadId, isSidecar };
}

/**
 * SQL condition for whether the database accounts for an object: by a file, a pending removal, an
 * upload that may still write (a failed one can be retried), the keys of a finished upload or, for
 * a sidecar, the main object's file.
 */
export function isOnRecord(key: ObjectKey, owner: KeyOwner | null): Statement {
  const uploadId = owner?.uploadId ?? null;
  const ofFile = owner?.isSidecar === true ? uploadId : null;
  return sql`(EXISTS (SELECT 1 FROM files WHERE object_key = ${key})
    OR EXISTS (SELECT 1 FROM jobs WHERE kind = 'removal' AND key = ${key})
    OR EXISTS (SELECT 1 FROM uploads WHERE id = ${uploadId}
      AND (status IN ('pending', 'processing', 'failed')
        OR ${key} IN (object_key, playlist_key, manifest_key, chat_key)))
    OR EXISTS (SELECT 1 FROM files WHERE upload_id = ${ofFile}))`;
}
