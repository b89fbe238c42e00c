import type { ObjectKey } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import type { MultipartHandle } from "#service/ports/object-store.ts";
import type { ArchiveDeps } from "./archive-deps.ts";
import { estimatedBytes } from "./archive-plan.ts";
import type { ArchiveManifest } from "./archive-manifest.ts";
import type { ArchiveRow } from "./archive-row.ts";
import { archiveFilename, contentType } from "./object-keys.ts";
import { askStore } from "./ask-store.ts";
import { LeaseLost } from "./run-end.ts";
import { planRemoval } from "./store-removals.ts";
import { batchUnderLease, holds, isHeld } from "./upload-lease.ts";

const MIB = 1024 * 1024;
const PART_SIZES = [8 * MIB, 16 * MIB, 32 * MIB] as const;

/** developers.cloudflare.com/r2/platform/limits; S3 has the same limit. */
export const MAX_PARTS = 10_000;

/** The bit rate may exceed the playlist's figure, and broadcasts grow while they are copied. */
const ESTIMATE_MARGIN = 1.3;

/** Twitch's limit for a broadcast, assumed while one is still growing. */
const LONGEST_VOD_SEC = 48 * 3_600;

export type OpenMultipart = { readonly handle: MultipartHandle; readonly partSizeBytes: number };

/** The smallest part size with which `sizeBytes` fit into {@link MAX_PARTS} parts. */
export function choosePartSizeFor(sizeBytes: number): number {
  return PART_SIZES.find((size) => size * MAX_PARTS >= sizeBytes) ?? 32 * MIB;
}

/** Like {@link choosePartSizeFor}, for a VOD, whose size is only estimated. */
function choosePartSize(manifest: ArchiveManifest): number {
  const bytes =
    manifest.agreeingPolls > 0
      ? estimatedBytes(manifest)
      : (manifest.rendition.bandwidthBitsPerSec / 8) * LONGEST_VOD_SEC;
  return choosePartSizeFor(bytes * ESTIMATE_MARGIN);
}

/** Returns the multipart upload of an earlier run, or records a new one before its first part. */
export async function openMultipart(
  deps: ArchiveDeps,
  row: ArchiveRow,
  manifest: ArchiveManifest,
  key: ObjectKey,
): Promise<OpenMultipart> {
  if (row.multipart_id !== null && row.part_size_bytes !== null) {
    return {
      handle: { key, multipartId: row.multipart_id },
      partSizeBytes: row.part_size_bytes,
    };
  }
  const { platform } = deps.context;
  const type = contentType(manifest.container);
  const handle = await askStore(deps, (objects) =>
    objects.createMultipart(key, {
      contentType: type,
      metadata: { uploadId: row.id, vodId: row.vod_id, ownerId: row.owner_id },
    }),
  );
  const partSizeBytes = choosePartSize(manifest);
  const nowMs = platform.clock.now();
  const filename = archiveFilename(manifest.source.ownerLogin, row.vod_id, manifest.container);
  try {
    await batchUnderLease(platform.database, [
      sql`UPDATE uploads SET multipart_id = ${handle.multipartId},
          part_size_bytes = ${partSizeBytes}, stored_bytes = 0
        WHERE ${holds(deps.lease)}`,
      sql`DELETE FROM upload_parts WHERE upload_id = ${row.id} AND ${isHeld(deps.lease)}`,
      sql`INSERT INTO files (object_key, upload_id, user_id, vod_id, filename, size_bytes,
          upload_type, status, content_type, last_modified_at)
        SELECT ${key}, ${row.id}, ${row.owner_id}, ${row.vod_id}, ${filename}, 0,
          'chunk', 'partial', ${type}, ${nowMs}
        WHERE ${isHeld(deps.lease)}
        ON CONFLICT (object_key) DO NOTHING`,
    ]);
  } catch (error) {
    if (error instanceof LeaseLost) await platform.objects.abortMultipart(handle);
    throw error;
  }
  return { handle, partSizeBytes };
}

/** Discards the plan and everything stored so far. */
export async function startOver(
  deps: Pick<ArchiveDeps, "context" | "lease">,
  row: ArchiveRow,
): Promise<void> {
  const { platform } = deps.context;
  const nowMs = platform.clock.now();
  const removal =
    row.object_key !== null && row.multipart_id !== null
      ? [
          planRemoval(
            { key: row.object_key, multipartId: row.multipart_id },
            nowMs,
            isHeld(deps.lease),
          ),
        ]
      : [];
  await batchUnderLease(platform.database, [
    sql`UPDATE uploads SET multipart_id = NULL, part_size_bytes = NULL, manifest_key = NULL,
        stored_bytes = 0, segments_done = 0, progress = 0, missing_ranges = '[]'
      WHERE ${holds(deps.lease)}`,
    sql`DELETE FROM upload_parts WHERE upload_id = ${row.id} AND ${isHeld(deps.lease)}`,
    ...removal,
  ]);
}
