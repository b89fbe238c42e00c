import type { UploadStreamMessage } from "#contract/upload-stream.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { readUpload, selectUpload } from "./upload-row.ts";

/** The hub topic that the upload streams listen to. */
export const UPLOADS_TOPIC = "uploads";

/** Sends an upload's current state to all upload streams. A deleted upload is skipped. */
export async function publishUpload(
  platform: Pick<Platform, "database" | "hub" | "clock">,
  uploadId: string,
): Promise<void> {
  await publishUploads(platform, [uploadId]);
}

/** {@link publishUpload} for several uploads, with one query. */
export async function publishUploads(
  platform: Pick<Platform, "database" | "hub" | "clock">,
  uploadIds: readonly string[],
): Promise<void> {
  if (uploadIds.length === 0) return;
  const rows = await platform.database.all(sql`${selectUpload(platform.clock.now())}
    WHERE u.id IN (SELECT value FROM json_each(${JSON.stringify(uploadIds)}))`);
  for (const row of rows)
    await publish(platform, { type: "upload_update", upload: readUpload(row) });
}

export async function publishUploadDeleted(
  platform: Pick<Platform, "hub">,
  uploadId: Extract<UploadStreamMessage, { type: "upload_deleted" }>["id"],
): Promise<void> {
  await publish(platform, { type: "upload_deleted", id: uploadId });
}

async function publish(
  platform: Pick<Platform, "hub">,
  message: UploadStreamMessage,
): Promise<void> {
  await platform.hub.publish(UPLOADS_TOPIC, JSON.stringify(message));
}
