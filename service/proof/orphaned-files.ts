import { formatBytes } from "#contract/format-bytes.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { join, sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import { isOnRecord, ownerOfKey } from "#service/storage/key-owner.ts";

/** Orphans per transaction and notification. */
const AT_A_TIME = 25;

/** Adds objects without an owner to the index as orphaned, with one notification per batch. */
export async function markOrphans(
  context: ServiceContext,
  found: readonly ObjectHead[],
): Promise<void> {
  for (let from = 0; from < found.length; from += AT_A_TIME)
    await markSome(context, found.slice(from, from + AT_A_TIME));
}

async function markSome(context: ServiceContext, found: readonly ObjectHead[]): Promise<void> {
  const { database, objects, clock } = context.platform;
  const heads: ObjectHead[] = [];
  for (const { key, tag } of found) {
    const head = await objects.head(key);
    if (head !== null && head.tag === tag && !(await isBesideItsMain(context, head)))
      heads.push(head);
  }
  if (heads.length === 0) return;
  const nowMs = clock.now();
  const keys = join(
    heads.map((head) => sql`${head.key}`),
    ", ",
  );
  const results = await database.batch([
    ...heads.flatMap((head) =>
      recordedChange(insertOrphan(head, nowMs), nowMs, {
        audit: {
          actorId: null,
          action: "file.orphan",
          target: head.key,
          after: { sizeBytes: head.sizeBytes },
        },
      }),
    ),
    ...recordedChange(
      sql`DELETE FROM scan_findings WHERE object_key IN (${keys})
        AND object_key IN (SELECT object_key FROM files WHERE status = 'orphaned')`,
      nowMs,
      {
        event: {
          type: "orphaned_files_found",
          subject: heads[0]?.key ?? null,
          title:
            heads.length === 1 ? "Orphaned file found" : `${heads.length} orphaned files found`,
          body: summaryOf(heads),
          link: "/files?status=orphaned",
        },
      },
    ),
  ]);
  for (const { object_key: key } of results.flatMap(({ rows }) => rows))
    context.log.warn("An object in the store belongs to no upload", { key });
}

/** Whether a sidecar's main object exists; such a sidecar gets no row of its own. */
async function isBesideItsMain({ platform }: ServiceContext, head: ObjectHead): Promise<boolean> {
  const owner = ownerOfKey(head.key);
  if (owner?.isSidecar !== true) return false;
  const stem = head.key.slice(0, head.key.indexOf(owner.uploadId) + owner.uploadId.length);
  const { objects } = await platform.objects.list({ prefix: stem });
  return objects.some(({ key }) => {
    const other = ownerOfKey(key);
    return other?.uploadId === owner.uploadId && !other.isSidecar;
  });
}

/** Inserts and returns no row if the object has an owner by now. */
function insertOrphan(head: ObjectHead, nowMs: number): Statement {
  const owner = ownerOfKey(head.key);
  const filename = head.key.slice(head.key.lastIndexOf("/") + 1);
  return sql`
    INSERT INTO files (object_key, upload_id, user_id, vod_id, filename, size_bytes, upload_type,
      status, content_type, metadata, last_modified_at)
    SELECT ${head.key}, ${owner?.uploadId ?? null}, ${owner?.ownerId ?? null},
      ${owner?.vodId ?? null}, ${filename}, ${head.sizeBytes},
      ${owner?.uploadType ?? (head.key.startsWith("manual/") ? "manual" : "twitch")}, 'orphaned',
      ${head.contentType ?? "application/octet-stream"},
      ${JSON.stringify({ foundAt: new Date(nowMs).toISOString() })},
      ${head.lastModifiedAt.getTime()}
    WHERE NOT ${isOnRecord(head.key, owner)} RETURNING object_key`;
}

/**
 * Updates the row of an orphan that was overwritten, so that lists and deletions refer to the
 * current object.
 */
export async function refreshOrphan(
  { platform }: ServiceContext,
  { key, sizeBytes, lastModifiedAt }: ObjectHead,
): Promise<void> {
  const nowMs = platform.clock.now();
  await platform.database.batch(
    recordedChange(
      sql`UPDATE files SET size_bytes = ${sizeBytes}, last_modified_at = ${lastModifiedAt.getTime()},
        metadata = json_set(metadata, '$.foundAt', ${new Date(nowMs).toISOString()})
      WHERE object_key = ${key} AND status = 'orphaned'
        AND (size_bytes <> ${sizeBytes} OR last_modified_at <> ${lastModifiedAt.getTime()})`,
      nowMs,
      {
        audit: {
          actorId: null,
          action: "file.orphan",
          target: key,
          reason: "It was overwritten in the store.",
          after: { sizeBytes },
        },
      },
    ),
  );
}

function summaryOf(heads: readonly ObjectHead[]): string {
  const size = formatBytes(heads.reduce((sum, head) => sum + head.sizeBytes, 0));
  const [first] = heads;
  if (heads.length === 1)
    return `The store holds ${first?.key} (${size}), which belongs to no upload.`;
  return `The store holds ${heads.length} files (${size}) that belong to no upload, such as ${first?.key}.`;
}
