import type { ObjectKey } from "#contract/files.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { OBJECT_PREFIXES } from "#service/storage/key-owner.ts";
import { storeNames } from "#service/storage/stored-name.ts";
import { checkStoredVod } from "#service/storage/upload-vod.ts";
import { readStoredUpload, type StoredUpload } from "./stored-upload.ts";

/**
 * Restores users, uploads and files from the manifests in the store, for a database that was lost or
 * is older than the store. Idempotent. Rows stay unchanged, except of uploads that are unfinished in
 * the database and whole in the store: they may be gone at the source. So stop the service, which
 * may be at work on them. Uploads that an administrator deleted stay deleted.
 */
export type RebuildReport = {
  /** Uploads restored to the index. */
  completed: number;
  partial: number;
  /** Uploads that were already in the index, or were deleted. */
  kept: number;
  /** Uploads without a finished object, which cannot be restored. */
  unfinished: number;
  /** Manifests that could not be read. */
  unreadable: ObjectKey[];
};

/** Manifests read in parallel: a remote store takes tens of milliseconds to answer. */
const AT_A_TIME = 8;

export async function rebuildIndex(context: ServiceContext): Promise<RebuildReport> {
  const report: RebuildReport = {
    completed: 0,
    partial: 0,
    kept: 0,
    unfinished: 0,
    unreadable: [],
  };
  const manifests = await listManifests(context);
  for (let from = 0; from < manifests.length; from += AT_A_TIME) {
    const some = manifests.slice(from, from + AT_A_TIME);
    const found = await Promise.all(
      some.map((key) => readStoredUpload(context.platform.objects, key)),
    );
    for (const [index, upload] of found.entries()) {
      const key = some[index];
      if (upload === "unfinished") report.unfinished += 1;
      else if (upload === "unreadable") report.unreadable.push(...(key === undefined ? [] : [key]));
      else if (!(await restore(context, upload))) report.kept += 1;
      else if (upload.problem === null) report.completed += 1;
      else report.partial += 1;
    }
  }
  return report;
}

/** Oldest first, because lists show uploads in the order of their rows. */
async function listManifests({ platform }: ServiceContext): Promise<readonly ObjectKey[]> {
  const found: { key: ObjectKey; atMs: number }[] = [];
  for (const prefix of OBJECT_PREFIXES) {
    let cursor: string | null = null;
    do {
      const page = await platform.objects.list({ prefix, ...(cursor === null ? {} : { cursor }) });
      for (const { key, lastModifiedAt } of page.objects)
        if (key.endsWith(".manifest.json")) found.push({ key, atMs: lastModifiedAt.getTime() });
      cursor = page.cursor;
    } while (cursor !== null);
  }
  return found.sort((left, right) => left.atMs - right.atMs).map(({ key }) => key);
}

/** Returns whether anything was added to the index. */
async function restore(context: ServiceContext, upload: StoredUpload): Promise<boolean> {
  const { platform, settings } = context;
  const nowMs = platform.clock.now();
  const [, , , , uploads, , files] = await platform.database.batch([
    // Also the rows of its parts, or of what a failed copy left.
    sql`DELETE FROM files WHERE upload_id = (SELECT id FROM uploads WHERE ${isUnfinished(upload)})`,
    sql`DELETE FROM uploads WHERE ${isUnfinished(upload)}`,
    ...storeNames([{ ...upload.owner, profileImageUrl: null }], "manifest", nowMs),
    insertUpload(upload, settings.MAX_RETRIES),
    insertChat(upload),
    ...recordedChange(insertFile(upload), nowMs, {
      audit: {
        actorId: null,
        action: "index.rebuild",
        target: upload.id,
        after: { objectKey: upload.objectKey, sizeBytes: upload.sizeBytes },
      },
    }),
    ...checkStoredVod(upload.id),
  ]);
  return (uploads?.changes ?? 0) > 0 || (files?.changes ?? 0) > 0;
}

function wasDeleted(upload: StoredUpload): Statement {
  return sql`EXISTS (SELECT 1 FROM audit
    WHERE action = 'upload.delete' AND target = ${upload.id} AND result = 'done')`;
}

/** In the database, while the store has all of it. */
function isUnfinished({ id, problem }: StoredUpload): Statement {
  return sql`id = ${id} AND status IN ('pending', 'processing', 'failed') AND ${Number(problem === null)}`;
}

/** A partial upload is restored as failed, with no retry used. */
function insertUpload(upload: StoredUpload, maxRetries: number): Statement {
  const isWhole = upload.problem === null;
  return sql`
    INSERT INTO uploads (id, kind, vod_id, source_url, filename, title, owner_id, rights, consent_text_version, status, progress,
      source_bytes, source_bytes_estimated, stored_bytes, segments_done, segments_total,
      duration_sec, stated_duration_sec, muted_ranges, missing_ranges, failure_class, error_message, max_retries,
      created_at, started_at, completed_at, failed_at, updated_at, object_key, playlist_key,
      manifest_key, chat_key, has_thumbnail, has_storyboard, part_size_bytes, quality, rendition,
      withheld_rendition, recorded_at)
    SELECT ${upload.id}, ${upload.kind}, ${upload.vodId}, ${upload.sourceUrl}, ${upload.filename},
      ${upload.title},
      ${upload.owner.id}, ${upload.rights}, ${upload.consentTextVersion}, ${isWhole ? "completed" : "failed"},
      ${isWhole ? 100 : 0}, ${upload.sizeBytes}, 0, ${upload.sizeBytes},
      ${upload.segments?.done ?? 0}, ${upload.segments?.total ?? null}, ${upload.durationSec},
      ${upload.statedDurationSec},
      ${JSON.stringify(upload.mutedRanges)}, ${JSON.stringify(upload.missingRanges)},
      ${isWhole ? null : upload.failureClass}, ${upload.problem}, ${maxRetries},
      ${upload.finishedAtMs}, ${upload.finishedAtMs}, ${isWhole ? upload.finishedAtMs : null},
      ${isWhole ? null : upload.finishedAtMs}, ${upload.finishedAtMs}, ${upload.objectKey},
      ${upload.playlistKey}, ${isWhole ? upload.manifestKey : null}, ${upload.chatKey},
      ${Number(upload.hasThumbnail)}, ${Number(upload.hasStoryboard)},
      ${isWhole ? upload.partSizeBytes : null}, ${upload.quality}, ${upload.rendition},
      ${upload.withheldRendition === null ? null : JSON.stringify(upload.withheldRendition)},
      ${upload.recordedAtMs}
    WHERE NOT ${wasDeleted(upload)}
    ON CONFLICT (id) DO NOTHING`;
}

/** The stored chat is as complete as anyone can tell. */
function insertChat({ id, kind, chatKey, durationSec }: StoredUpload): Statement {
  return sql`
    INSERT INTO chats (upload_id, state, has_ended, stored_until_sec)
    SELECT ${id}, ${chatKey === null ? "none" : "complete"}, 1,
      ${chatKey === null ? null : durationSec}
    WHERE ${kind} = 'twitch' AND EXISTS (SELECT 1 FROM uploads WHERE id = ${id})
    ON CONFLICT DO NOTHING`;
}

/**
 * Also updates a row that the reconciler added as orphaned while the database was empty; the scrub reads
 * that file first.
 */
function insertFile(upload: StoredUpload): Statement {
  return sql`
    INSERT INTO files (object_key, upload_id, user_id, vod_id, filename, size_bytes, upload_type,
      status, content_type, metadata, last_modified_at, recorded_at)
    SELECT ${upload.objectKey}, ${upload.id}, ${upload.owner.id}, ${upload.vodId},
      ${upload.filename}, ${upload.sizeBytes}, ${upload.kind},
      ${upload.problem === null ? "complete" : "partial"}, ${upload.contentType},
      ${JSON.stringify(upload.metadata)}, ${upload.finishedAtMs}, ${upload.recordedAtMs}
    WHERE NOT ${wasDeleted(upload)} AND EXISTS (SELECT 1 FROM uploads WHERE id = ${upload.id}
      AND object_key = ${upload.objectKey})
    ON CONFLICT (object_key) DO UPDATE SET status = excluded.status, user_id = excluded.user_id,
      filename = excluded.filename, metadata = excluded.metadata,
      content_type = excluded.content_type, recorded_at = excluded.recorded_at, verified_at = 0,
      verify_part = 1
      WHERE files.status = 'orphaned'`;
}
