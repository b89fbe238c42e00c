import * as z from "zod/mini";
import { fileStatusSchema, uploadTypeSchema } from "#contract/files.ts";
import { permissionSchema } from "#contract/permissions.ts";
import { failureClassSchema, uploadStatusSchema } from "#contract/upload.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

const uploadSchema = z.object({
  id: z.string(),
  filename: z.string(),
  owner_id: z.string(),
  status: uploadStatusSchema,
  failure_class: z.nullable(failureClassSchema),
  retry_count: z.number(),
  max_retries: z.number(),
  stored_bytes: z.number(),
  part_size_bytes: z.nullable(z.number()),
  created_at: z.number(),
});
const fileSchema = z.object({
  object_key: z.string(),
  upload_id: z.nullable(z.string()),
  filename: z.nullable(z.string()),
  user_id: z.nullable(z.string()),
  size_bytes: z.number(),
  upload_type: uploadTypeSchema,
  status: fileStatusSchema,
});
const userSchema = z.object({
  id: z.string(),
  login: z.string(),
  permissions: jsonText(z.array(permissionSchema)),
  banned_at: z.nullable(z.number()),
});

/** Every row that figures are computed from, newest first, without derived data. */
export type BaseRows = {
  readonly uploads: readonly z.infer<typeof uploadSchema>[];
  readonly files: readonly z.infer<typeof fileSchema>[];
  readonly users: readonly z.infer<typeof userSchema>[];
};

export async function readBaseRows(database: Database): Promise<BaseRows> {
  const [uploads, files, users] = await Promise.all([
    database.all(sql`SELECT * FROM uploads ORDER BY seq DESC`),
    database.all(sql`SELECT * FROM files ORDER BY seq DESC`),
    database.all(sql`SELECT * FROM users ORDER BY seq DESC`),
  ]);
  return {
    uploads: uploads.map((row) => uploadSchema.parse(row)),
    files: files.map((row) => fileSchema.parse(row)),
    users: users.map((row) => userSchema.parse(row)),
  };
}

export function sumOf<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}
