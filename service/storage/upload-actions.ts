import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { uploadKindSchema, uploadStatusSchema, type UploadStatus } from "#contract/upload.ts";
import type { AuditToken } from "#contract/audit.ts";
import type { AuditInput } from "#service/changes/audit-entry.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import { removePieces, restartChat } from "./chat-record.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { mayCopy } from "./consent-pause.ts";
import { planEach } from "#service/jobs/jobs.ts";
import { discardUnfinished } from "./discard.ts";
import { idsOf } from "./log-ids.ts";
import { CHAT_PIECE_PREFIX, INCOMPLETE_PART_PREFIX } from "./object-keys.ts";
import { publishUpload, publishUploadDeleted } from "./upload-events.ts";
import { giveUpVod, hasUpload } from "./upload-vod.ts";

/**
 * Actions of administrators on uploads. Each action is one batch guarded by the current state, so
 * that exactly one of several racing actions takes effect and writes an audit row. The runner that
 * holds the upload is notified over the hub; if that message is lost, the new epoch refuses its
 * next write.
 */

export type UploadActionInput = {
  readonly uploadId: string;
  /** Null when the service itself acts, e.g. for a ban. */
  readonly actorId: string | null;
  readonly reason?: string | null;
  readonly requestId?: string | null;
  readonly token?: AuditToken | null;
  readonly address?: string | null;
  readonly atMs: number;
  /** A further condition; without it the action is refused. */
  readonly onlyIf?: Statement;
};

/** `refused`: the upload's state does not allow the action. */
export type UploadActionResult = "done" | "refused" | "not_found";

/** The hub topic that tells runners to stop; data is the upload's id. */
export const UPLOAD_STOPS_TOPIC = "upload-stops";

const actionRow = z.object({
  id: uploadIdSchema,
  kind: uploadKindSchema,
  vod_id: z.nullable(z.string()),
  owner_id: z.string(),
  status: uploadStatusSchema,
  epoch: z.number(),
  filename: z.string(),
  object_key: z.nullable(objectKeySchema),
});
type ActionRow = z.infer<typeof actionRow>;

/**
 * The states of an upload.
 *
 * An upload starts as **pending**. A runner that takes its lease makes it **processing**; it stays
 * so while it copies, waits for a source that is down, is handed over between runners or is proved.
 * Three states end a run:
 *
 * - **completed**: the store was proved to hold every segment of the source. This state is final,
 *   and only the proof enters it.
 * - **failed**: the error is permanent, or the attempts are used up. A retry makes it pending
 *   again, keeping its checkpoint, while `retryCount < maxRetries`.
 * - **cancelled**: an administrator (or the ban of its initiator) stopped it. This state is final.
 *
 * Deleting removes the row in any state and is not a state of its own.
 *
 * Every transition is one UPDATE guarded by the states it may start from, so that exactly one of
 * two racing actions takes effect.
 */
const UPLOAD_TRANSITIONS = {
  cancel: { from: ["pending", "processing"], to: "cancelled" },
  retry: { from: ["failed"], to: "pending" },
} as const satisfies Record<string, { from: readonly UploadStatus[]; to: UploadStatus }>;

/** Final: an upload never leaves `cancelled`. Removal of the stored parts is planned. */
export async function cancelUpload(
  context: ServiceContext,
  input: UploadActionInput,
): Promise<UploadActionResult> {
  const result = await tryUntilUncontended(context, input.uploadId, async (row) => {
    const { from, to } = UPLOAD_TRANSITIONS.cancel;
    if (!from.some((status) => status === row.status)) return "refused";
    const results = await batchIf(
      context.platform.database,
      sql`${isUnchanged(row)} AND ${input.onlyIf ?? sql`TRUE`}`,
      [
        ...onRecord(
          input,
          row,
          "upload.cancel",
          sql`UPDATE uploads SET status = ${to}, phase = NULL, epoch = epoch + 1, version = version + 1,
          lease_owner = NULL, lease_until = NULL, next_attempt_at = NULL,
          stalled_at = NULL, error_message = ${input.reason ?? null},
          updated_at = ${input.atMs}
        WHERE id = ${row.id}`,
          {
            before: { status: row.status },
            after: { status: to },
          },
        ),
        ...discardUnfinished(row, input.atMs),
        sql`UPDATE uploads SET object_key = NULL, chat_key = NULL, has_thumbnail = 0, has_storyboard = 0
          WHERE id = ${row.id}
          AND NOT EXISTS (SELECT 1 FROM files WHERE upload_id = ${row.id})`,
      ],
      { isEssential: true },
    );
    if (results === null) return input.onlyIf === undefined ? "contended" : "refused";
    context.platform.telemetry?.uploadEnded(row.kind, "cancelled");
    context.log.info("An upload was cancelled", idsOf(row));
    return "done";
  });
  if (result === "done") {
    await context.platform.hub.publish(UPLOAD_STOPS_TOPIC, input.uploadId);
    await publishUpload(context.platform, input.uploadId);
  }
  return result;
}

/**
 * Deletes the upload in any state, or only in `ifStatus`, with its unfinished parts and their
 * sidecars. A finished or partial file stays in the store and is listed as orphaned, unless `file`
 * is "delete".
 */
export async function deleteUpload(
  context: Pick<ServiceContext, "platform">,
  input: UploadActionInput & {
    readonly ifStatus?: UploadStatus | undefined;
    readonly file?: "delete" | undefined;
  },
): Promise<UploadActionResult> {
  const result = await tryUntilUncontended(context, input.uploadId, async (row) => {
    if (input.ifStatus !== undefined && row.status !== input.ifStatus) return "refused";
    const results = await batchIf(
      context.platform.database,
      sql`${isUnchanged(row)} AND ${input.onlyIf ?? sql`TRUE`}`,
      [
        ...(input.file === "delete" ? removeFile(row, input.atMs) : []),
        ...(row.status === "completed" && input.file !== "delete"
          ? []
          : discardUnfinished(row, input.atMs)),
        ...removePieces(sql`upload_id = ${row.id}`, input.atMs),
        sql`UPDATE files SET status = 'orphaned'
          WHERE upload_id = ${row.id} AND upload_type <> 'chunk'`,
        // What no rule takes any more is not given up: the rule decides it again.
        ...(input.actorId === null ? [] : [giveUpVod(row.id, input.actorId)]),
        ...onRecord(input, row, "upload.delete", sql`DELETE FROM uploads WHERE id = ${row.id}`, {
          before: { status: row.status, vodId: row.vod_id, objectKey: row.object_key },
          ...(input.file === "delete" ? { after: { file: "deleted" } } : {}),
        }),
      ],
      { isEssential: true },
    );
    if (results !== null) return "done";
    return input.onlyIf === undefined ? "contended" : "refused";
  });
  if (result === "done") {
    await context.platform.hub.publish(UPLOAD_STOPS_TOPIC, input.uploadId);
    await publishUploadDeleted(context.platform, uploadIdSchema.parse(input.uploadId));
  }
  return result;
}

/** Whether nothing else has acted on the upload since `row` was read. */
function isUnchanged({ id, epoch, status }: ActionRow): Statement {
  return sql`EXISTS (SELECT 1 FROM uploads
    WHERE id = ${id} AND epoch = ${epoch} AND status = ${status})`;
}

/** Removes the file. Its sidecars are then removed as unfinished, because they have no file. */
function removeFile(row: ActionRow, atMs: number): readonly Statement[] {
  const isFile = sql`upload_id = ${row.id} AND upload_type <> 'chunk'`;
  return [
    planEach("removal", sql`SELECT object_key AS key FROM files WHERE ${isFile}`, atMs),
    sql`DELETE FROM files WHERE ${isFile}`,
  ];
}

/**
 * Sends a failed upload back to pending; it resumes from its checkpoint. A rule's own tries
 * (`byRule`) use up none.
 */
export async function retryUpload(
  context: ServiceContext,
  input: UploadActionInput & { readonly byRule?: boolean },
): Promise<UploadActionResult> {
  const isByPerson = input.byRule === true ? 0 : 1;
  const result = await tryUntilUncontended(context, input.uploadId, async (row) => {
    const { from, to } = UPLOAD_TRANSITIONS.retry;
    if (!from.some((status) => status === row.status)) return "refused";
    const [change] = await context.platform.database.batch([
      // Without parts to continue, the run starts at zero, whatever partial file an earlier one kept.
      ...onRecord(
        input,
        row,
        "upload.retry",
        sql`UPDATE uploads SET status = ${to}, phase = NULL, retry_count = retry_count + ${isByPerson},
          stored_bytes = CASE WHEN multipart_id IS NULL THEN 0 ELSE stored_bytes END,
          progress = CASE WHEN multipart_id IS NULL THEN 0 ELSE progress END,
          epoch = epoch + 1, version = version + 1, attempts = 0, stall_count = 0,
          stalled_at = NULL, stall_reason = NULL, failure_class = NULL, error_message = NULL,
          failed_at = iif(${isByPerson}, NULL, failed_at),
          next_attempt_at = NULL, lease_owner = NULL, lease_until = NULL, started_at = NULL, updated_at = ${input.atMs}
        WHERE id = ${row.id} AND epoch = ${row.epoch} AND status = ${row.status}
          AND (NOT ${isByPerson} OR retry_count < max_retries) AND NOT ${isBeingRemoved(row.id)} AND ${mayCopy}`,
        {
          before: { status: row.status },
          after: { status: to },
        },
      ),
      ...restartChat(
        row.id,
        input.atMs,
        // A broadcast that had not ended may have gone on.
        sql`(state = 'none' OR (state = 'complete' AND has_ended = 0))
          AND EXISTS (SELECT 1 FROM uploads WHERE id = ${row.id} AND status = ${to})`,
      ),
      hasUpload(sql`SELECT vod_id FROM uploads WHERE id = ${row.id} AND status = ${to}`),
    ]);
    if (change !== undefined && change.changes > 0) return "done";
    const [found] = await context.platform.database.all(
      sql`SELECT ${isUnchanged(row)} AS is_unchanged`,
    );
    return found?.is_unchanged === 1 ? "refused" : "contended";
  });
  if (result === "done") {
    await publishUpload(context.platform, input.uploadId);
    await context.platform.queue.send({ uploadId: input.uploadId });
  }
  return result;
}

/**
 * A new run uses the same keys, except for incomplete parts and pieces of chat. Pending removals
 * must be carried out first, or they would delete the new object.
 */
function isBeingRemoved(uploadId: string): Statement {
  return sql`EXISTS (SELECT 1 FROM jobs
    WHERE kind = 'removal' AND instr(key, ${uploadId}) > 0
      AND key NOT LIKE ${`${INCOMPLETE_PART_PREFIX}%`}
      AND key NOT LIKE ${`${CHAT_PIECE_PREFIX}%`})`;
}

function onRecord(
  input: UploadActionInput,
  row: ActionRow,
  action: string,
  change: Statement,
  values: Pick<AuditInput, "before" | "after">,
): readonly Statement[] {
  const audit = { ...input, action, target: row.id, ...values };
  return recordedChange(change, input.atMs, { audit });
}

/** The loser of a race reads the row again and retries; more attempts than this indicate a bug. */
const MAX_TRIES = 100;

async function tryUntilUncontended(
  context: Pick<ServiceContext, "platform">,
  uploadId: string,
  attempt: (row: ActionRow) => Promise<UploadActionResult | "contended">,
): Promise<UploadActionResult> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [found] = await context.platform.database.all(sql`
      SELECT id, kind, vod_id, owner_id, status, epoch, filename, object_key
      FROM uploads WHERE id = ${uploadId}`);
    if (found === undefined) return "not_found";
    const result = await attempt(actionRow.parse(found));
    if (result !== "contended") return result;
  }
  throw new Error(`Upload ${uploadId} changed ${MAX_TRIES} times in a row under one action`);
}
