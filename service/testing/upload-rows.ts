import { sql } from "#service/db/sql.ts";
import type { UploadStatus } from "#contract/upload.ts";
import type { Database } from "#service/ports/database.ts";

export type UploadSeed = {
  readonly id: string;
  readonly status?: UploadStatus;
  readonly filename?: string;
  readonly title?: string | null;
  readonly ownerId?: string;
  readonly vodId?: string | null;
  readonly retryCount?: number;
  readonly maxRetries?: number;
  readonly failureClass?: string | null;
  readonly errorMessage?: string | null;
  readonly atMs?: number;
};

/** Inserts an upload in the given state, and its owner if unknown. */
export async function seedUpload(database: Database, seed: UploadSeed): Promise<void> {
  const status = seed.status ?? "pending";
  const ownerId = seed.ownerId ?? "1005";
  const atMs = seed.atMs ?? Date.now();
  await database.batch([
    sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
      VALUES (${ownerId}, ${`login_${ownerId}`}, ${`Name ${ownerId}`}, ${atMs})`,
    sql`INSERT INTO uploads (id, kind, vod_id, filename, title, owner_id, rights, status, max_retries,
        retry_count, failure_class, error_message, failed_at, created_at, updated_at)
      VALUES (${seed.id}, 'twitch', ${seed.vodId ?? null}, ${seed.filename ?? `${seed.id}.ts`},
        ${seed.title ?? null}, ${ownerId}, 'administrator_confirmed', ${status},
        ${seed.maxRetries ?? 3}, ${seed.retryCount ?? 0},
        ${seed.failureClass ?? (status === "failed" ? "try_later" : null)},
        ${seed.errorMessage ?? null}, ${status === "failed" ? atMs : null}, ${atMs}, ${atMs})`,
  ]);
}
