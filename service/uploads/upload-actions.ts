import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { uploadStatusSchema, type UploadStatus } from "#contract/upload.ts";
import { auditEntryIfChanged, type AuditInput } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { removeUnfinished } from "./unfinished-removal.ts";
import { publishUpload, publishUploadDeleted } from "./upload-events.ts";
import { UPLOAD_TRANSITIONS } from "./upload-status.ts";

/**
 * What an administrator may do to an upload. Each action is one batch whose guards name the state
 * it leaves from, so that of any number of racing actions exactly one takes effect and exactly one
 * audit row says so. A runner that holds the upload is told over the hub; should that message get
 * lost, the grown epoch refuses its next write.
 */

export type UploadActionInput = {
  readonly uploadId: string;
  /** Null when the service itself acts, e.g. for a ban. */
  readonly actorId: string | null;
  readonly reason?: string | null;
  readonly requestId?: string | null;
  readonly address?: string | null;
  readonly atMs: number;
};

/** `refused`: the upload is in a state that does not offer the action. */
export type UploadActionResult = "done" | "refused" | "not_found";

/** The hub topic on which runners hear that they must let go; data is the upload's id. */
export const UPLOAD_STOPS_TOPIC = "upload-stops";

const actionRow = z.object({
  id: uploadIdSchema,
  kind: z.enum(["twitch", "manual"]),
  vod_id: z.nullable(z.string()),
  owner_id: z.string(),
  status: uploadStatusSchema,
  epoch: z.number(),
  object_key: z.nullable(objectKeySchema),
  multipart_id: z.nullable(z.string()),
});
type ActionRow = z.infer<typeof actionRow>;

/** Final: nothing leaves `cancelled`. The parts go as soon as the store confirms. */
export async function cancelUpload(
  context: ServiceContext,
  input: UploadActionInput,
): Promise<UploadActionResult> {
  const result = await tryUntilUncontended(context, input.uploadId, async (row) => {
    const { from, to } = UPLOAD_TRANSITIONS.cancel;
    if (!from.some((status) => status === row.status)) return "refused";
    const isOurs = sql`EXISTS (SELECT 1 FROM uploads
      WHERE id = ${row.id} AND epoch = ${row.epoch + 1} AND status = ${to})`;
    const [change] = await context.platform.database.batch(
      [
        sql`UPDATE uploads SET status = ${to}, phase = NULL, epoch = epoch + 1, version = version + 1,
          lease_owner = NULL, lease_until = NULL, next_attempt_at = NULL, multipart_id = NULL,
          speed_bytes_per_sec = NULL, stalled_at = NULL, error_message = ${input.reason ?? null},
          object_key = CASE WHEN EXISTS (SELECT 1 FROM files
            WHERE upload_id = ${row.id} AND upload_type <> 'chunk') THEN object_key END,
          updated_at = ${input.atMs}
        WHERE id = ${row.id} AND epoch = ${row.epoch} AND status = ${row.status}`,
        onRecord(input, row, "upload.cancel", {
          before: { status: row.status },
          after: { status: to },
        }),
        ...removeUnfinished(row, input.atMs, isOurs),
        sql`DELETE FROM upload_parts WHERE upload_id = ${row.id} AND ${isOurs}`,
      ],
      { isEssential: true },
    );
    if (change === undefined || change.changes === 0) return "contended";
    context.platform.telemetry?.uploadEnded(row.kind, "cancelled");
    return "done";
  });
  if (result === "done") {
    await context.platform.hub.publish(UPLOAD_STOPS_TOPIC, input.uploadId);
    await publishUpload(context.platform, input.uploadId);
  }
  return result;
}

/**
 * Removes the record in any state, or only in `ifStatus`. Unfinished parts and what lies beside
 * them go. A finished or partial file stays in the store and is listed as orphaned, unless `file`
 * is "delete".
 */
export async function deleteUpload(
  context: ServiceContext,
  input: UploadActionInput & {
    readonly ifStatus?: UploadStatus | undefined;
    readonly file?: "delete" | undefined;
  },
): Promise<UploadActionResult> {
  let deleted: UploadId | undefined;
  const result = await tryUntilUncontended(context, input.uploadId, async (row) => {
    if (input.ifStatus !== undefined && row.status !== input.ifStatus) return "refused";
    const isOurs = sql`EXISTS (SELECT 1 FROM uploads
      WHERE id = ${row.id} AND epoch = ${row.epoch} AND status = ${row.status})`;
    const statements = [
      ...(input.file === "delete" ? removeFile(row, input.atMs, isOurs) : []),
      ...(row.status === "completed" && input.file !== "delete"
        ? []
        : removeUnfinished(row, input.atMs, isOurs)),
      sql`UPDATE files SET status = 'orphaned'
        WHERE upload_id = ${row.id} AND upload_type <> 'chunk' AND ${isOurs}`,
      sql`DELETE FROM uploads
        WHERE id = ${row.id} AND epoch = ${row.epoch} AND status = ${row.status}`,
    ];
    const results = await context.platform.database.batch(
      [
        ...statements,
        onRecord(input, row, "upload.delete", {
          before: { status: row.status, vodId: row.vod_id, objectKey: row.object_key },
          ...(input.file === "delete" ? { after: { file: "deleted" } } : {}),
        }),
      ],
      { isEssential: true },
    );
    const change = results[statements.length - 1];
    if (change === undefined || change.changes === 0) return "contended";
    deleted = row.id;
    return "done";
  });
  if (result === "done" && deleted !== undefined) {
    await context.platform.hub.publish(UPLOAD_STOPS_TOPIC, deleted);
    await publishUploadDeleted(context.platform, deleted);
  }
  return result;
}

/** What lies beside the file then goes as unfinished, because no file holds on to it any more. */
function removeFile(row: ActionRow, atMs: number, isOurs: Statement): readonly Statement[] {
  const isFile = sql`upload_id = ${row.id} AND upload_type <> 'chunk' AND ${isOurs}`;
  return [
    sql`INSERT INTO store_removals (object_key, not_before_at)
      SELECT object_key, ${atMs} FROM files WHERE ${isFile}`,
    sql`DELETE FROM files WHERE ${isFile}`,
  ];
}

/** Sends a failed upload back to pending; it resumes from its checkpoint. */
export async function retryUpload(
  context: ServiceContext,
  input: UploadActionInput,
): Promise<UploadActionResult> {
  const result = await tryUntilUncontended(context, input.uploadId, async (row) => {
    const { from, to } = UPLOAD_TRANSITIONS.retry;
    if (!from.some((status) => status === row.status)) return "refused";
    const [change] = await context.platform.database.batch([
      sql`UPDATE uploads SET status = ${to}, phase = NULL, retry_count = retry_count + 1,
          epoch = epoch + 1, version = version + 1, attempts = 0, stall_count = 0,
          stalled_at = NULL, stall_reason = NULL, failure_class = NULL, error_message = NULL,
          failed_at = NULL, next_attempt_at = NULL, lease_owner = NULL, lease_until = NULL,
          started_at = NULL, updated_at = ${input.atMs}
        WHERE id = ${row.id} AND epoch = ${row.epoch} AND status = ${row.status}
          AND retry_count < max_retries AND NOT ${isBeingRemoved(row.id)}`,
      onRecord(input, row, "upload.retry", {
        before: { status: row.status },
        after: { status: to },
      }),
    ]);
    if (change !== undefined && change.changes > 0) return "done";
    const isUnchanged = await context.platform.database.all(sql`
      SELECT 1 FROM uploads WHERE id = ${row.id} AND epoch = ${row.epoch}`);
    return isUnchanged.length > 0 ? "refused" : "contended";
  });
  if (result === "done") {
    await publishUpload(context.platform, input.uploadId);
    await context.platform.queue.send({ uploadId: input.uploadId });
  }
  return result;
}

/**
 * A new run stores under the same keys: what an administrator deleted there has to be gone before,
 * or a late removal would take the new object.
 */
function isBeingRemoved(uploadId: string): Statement {
  return sql`EXISTS (SELECT 1 FROM store_removals
    WHERE multipart_id IS NULL AND instr(object_key, ${uploadId}) > 0)`;
}

function onRecord(
  input: UploadActionInput,
  row: ActionRow,
  action: string,
  change: Pick<AuditInput, "before" | "after">,
): Statement {
  return auditEntryIfChanged({
    atMs: input.atMs,
    actorId: input.actorId,
    action,
    target: row.id,
    result: "done",
    reason: input.reason ?? null,
    requestId: input.requestId ?? null,
    address: input.address ?? null,
    ...change,
  });
}

/** Each loser of a race reads again and judges the new state; more losses than this mean a fault. */
const MAX_TRIES = 100;

async function tryUntilUncontended(
  context: ServiceContext,
  uploadId: string,
  attempt: (row: ActionRow) => Promise<UploadActionResult | "contended">,
): Promise<UploadActionResult> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [found] = await context.platform.database.all(sql`
      SELECT id, kind, vod_id, owner_id, status, epoch, object_key, multipart_id
      FROM uploads WHERE id = ${uploadId}`);
    if (found === undefined) return "not_found";
    const result = await attempt(actionRow.parse(found));
    if (result !== "contended") return result;
  }
  throw new Error(`Upload ${uploadId} changed ${MAX_TRIES} times in a row under one action`);
}
