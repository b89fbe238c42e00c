import type { ObjectKey } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import type { Runtime } from "#service/platform.ts";
import { choosePartSizeFor, type NewObject } from "#service/storage/multipart.ts";
import { archiveFilename, contentType, type ArchiveKeys } from "#service/storage/object-keys.ts";
import { estimatedBytes, isFile, type ArchiveManifest } from "./archive-manifest.ts";
import type { ArchiveRow } from "./archive-row.ts";

/** The bit rate may exceed the playlist's figure, and broadcasts grow while they are copied. */
const ESTIMATE_MARGIN = 1.3;

/** Twitch's limit for a broadcast, assumed while one is still growing. */
const LONGEST_VOD_SEC = 48 * 3_600;

/** The object of an archive, with a part size for its estimated size. */
export function newObject(manifest: ArchiveManifest, key: ObjectKey, runtime: Runtime): NewObject {
  const { agreeingPolls, container, rendition, source } = manifest;
  const estimate =
    agreeingPolls > 0
      ? estimatedBytes(manifest)
      : (rendition.bandwidthBitsPerSec / 8) * LONGEST_VOD_SEC;
  return {
    key,
    filename: archiveFilename(source.fileStem, container),
    contentType: contentType(container),
    partSizeBytes: choosePartSizeFor(estimate * ESTIMATE_MARGIN, runtime),
  };
}

/** What the File Browser shows of an archive besides its size and key. */
export function archiveFileMetadata(
  { source, rendition, container, units }: ArchiveManifest,
  keys: ArchiveKeys,
  tag: string,
): Readonly<Record<string, unknown>> {
  const initSegments = units.filter((unit) => unit.kind === "fmp4-init").length;
  return {
    title: source.title,
    rendition: rendition.name,
    resolution: rendition.resolution,
    codecs: rendition.codecs,
    durationSec: source.durationSec,
    ...(source.chapters === undefined ? {} : { chapters: source.chapters }),
    container,
    // Most players fail at a second init section, because an MP4 file should have only one.
    ...(initSegments > 1 ? { initSegments } : {}),
    tag,
    ...(isFile({ units }) ? {} : { playlistKey: keys.playlist }),
  };
}

/** Turns the row that stood for the parts into the row of the file. */
export function archiveFileRow(
  row: ArchiveRow,
  manifest: ArchiveManifest,
  keys: ArchiveKeys,
  head: ObjectHead,
  status: "complete" | "partial",
  nowMs: number,
  guard: Statement,
): Statement {
  const { source, container } = manifest;
  const metadata = JSON.stringify(archiveFileMetadata(manifest, keys, head.tag));
  return sql`
    INSERT INTO files (object_key, upload_id, user_id, vod_id, filename, size_bytes, upload_type,
      status, content_type, metadata, last_modified_at)
    SELECT ${keys.object}, ${row.id}, ${row.owner_id}, ${row.vod_id},
      ${archiveFilename(source.fileStem, container)}, ${head.sizeBytes}, ${row.kind},
      ${status}, ${contentType(container)}, ${metadata}, ${nowMs}
    WHERE ${guard}
    ON CONFLICT (object_key) DO UPDATE SET size_bytes = excluded.size_bytes,
      upload_type = excluded.upload_type, status = excluded.status,
      filename = excluded.filename, metadata = excluded.metadata,
      last_modified_at = excluded.last_modified_at`;
}
