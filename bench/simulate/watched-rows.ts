import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import * as z from "zod/mini";

const uploadSchema = z.object({
  id: z.string(),
  kind: z.enum(["twitch", "manual"]),
  vod_id: z.nullable(z.string()),
  /** Null for what the service starts itself. */
  initiated_by: z.nullable(z.string()),
  status: z.enum(["pending", "processing", "completed", "failed", "cancelled"]),
  epoch: z.number(),
  lease_owner: z.nullable(z.string()),
  stored_bytes: z.number(),
  segments_done: z.number(),
  segments_total: z.nullable(z.number()),
  progress: z.number(),
  retry_count: z.number(),
  max_retries: z.number(),
  failure_class: z.nullable(z.string()),
  error_message: z.nullable(z.string()),
  multipart_id: z.nullable(z.string()),
  manifest_key: z.nullable(z.string()),
  missing_ranges: z.string(),
  muted_ranges: z.string(),
});
export type UploadRow = z.infer<typeof uploadSchema>;

const partSchema = z.object({
  upload_id: z.string(),
  part_number: z.number(),
  tag: z.string(),
  size_bytes: z.number(),
});
/** Bytes of a manual upload that do not fill a part yet. */
const pieceSchema = z.object({ upload_id: z.string(), size_bytes: z.number() });
const fileSchema = z.object({
  object_key: z.string(),
  upload_id: z.nullable(z.string()),
  size_bytes: z.number(),
  upload_type: z.string(),
  status: z.string(),
});
const auditSchema = z.object({
  seq: z.number(),
  action: z.string(),
  target: z.nullable(z.string()),
});
const eventSchema = z.object({
  seq: z.number(),
  type: z.string(),
  subject: z.nullable(z.string()),
});

/** The rows that the invariants are about. */
export type WatchedRows = {
  readonly uploads: ReadonlyMap<string, UploadRow>;
  readonly parts: readonly z.infer<typeof partSchema>[];
  readonly pieces: readonly z.infer<typeof pieceSchema>[];
  readonly files: readonly z.infer<typeof fileSchema>[];
  readonly bannedUsers: ReadonlySet<string>;
  /** Uploads that a ban has yet to cancel. */
  readonly toCancel: ReadonlySet<string>;
  /** Keys of finished objects, and of what lies beside them, that the store has yet to delete. */
  readonly removals: readonly string[];
  /** Entries since the last reading. */
  readonly audit: readonly z.infer<typeof auditSchema>[];
  readonly events: readonly z.infer<typeof eventSchema>[];
};

async function read<Schema extends z.ZodMiniObject>(
  database: Database,
  schema: Schema,
  from: string,
): Promise<z.output<Schema>[]> {
  const columns = Object.keys(schema.shape).join(", ");
  const rows = await database.all({ sql: `SELECT ${columns} FROM ${from}`, values: [] });
  return rows.map((row) => z.parse(schema, row));
}

async function readColumn(database: Database, query: Statement): Promise<string[]> {
  return (await database.all(query)).map((row) => String(row.value));
}

export async function readWatchedRows(
  database: Database,
  afterAuditSeq: number,
  afterEventSeq: number,
): Promise<WatchedRows> {
  const uploads = await read(database, uploadSchema, "uploads");
  const banned = sql`SELECT id AS value FROM users WHERE banned_at IS NOT NULL`;
  const toCancel = sql`SELECT u.id AS value FROM uploads u JOIN jobs j ON j.kind = 'cancel' AND j.key = u.initiated_by
    WHERE u.status = 'pending' AND NOT u.by_rule AND u.created_at <= (
      SELECT max(at) FROM audit WHERE action = 'user.ban' AND target = j.key)`;
  const removals = sql`SELECT key AS value FROM jobs
    WHERE kind = 'removal' AND key NOT LIKE 'tails/%' AND key NOT LIKE 'chat-pieces/%'`;
  return {
    uploads: new Map(uploads.map((row) => [row.id, row])),
    parts: await read(database, partSchema, "upload_parts"),
    pieces: await read(database, pieceSchema, "incomplete_parts"),
    files: await read(database, fileSchema, "files"),
    bannedUsers: new Set(await readColumn(database, banned)),
    toCancel: new Set(await readColumn(database, toCancel)),
    removals: await readColumn(database, removals),
    audit: await read(database, auditSchema, `audit WHERE seq > ${afterAuditSeq} ORDER BY seq`),
    events: await read(
      database,
      eventSchema,
      `notification_events WHERE seq > ${afterEventSeq} ORDER BY seq`,
    ),
  };
}
