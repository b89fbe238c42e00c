import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import { restartChat } from "#service/storage/chat-record.ts";
import { findConsentRefusal, mayCopy } from "#service/storage/consent-pause.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { findUpload } from "#service/storage/upload-row.ts";

/**
 * Reads an upload's chat again from its start. What is stored of it stays until there is more.
 * @throws {ApiError} not_found, or conflict if there is nothing to read or nothing to keep it with
 */
export async function readChatAgain(
  context: ServiceContext,
  uploadId: string,
  actor: Actor,
): Promise<void> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const results = await batchIf(
    database,
    sql`EXISTS (SELECT 1 FROM chats WHERE upload_id = ${uploadId}
        AND state IN ('partial', 'gone', 'none'))
      AND EXISTS (SELECT 1 FROM uploads WHERE id = ${uploadId} AND ${mayCopy})
      AND (EXISTS (SELECT 1 FROM uploads
          WHERE id = ${uploadId} AND status IN ('pending', 'processing', 'failed'))
        OR EXISTS (SELECT 1 FROM files WHERE upload_id = ${uploadId} AND upload_type <> 'chunk'))
      -- It would delete the new chat.
      AND NOT EXISTS (SELECT 1 FROM jobs
        WHERE kind = 'removal' AND instr(key, ${`/${uploadId}.chat.json`}) > 0)`,
    [
      ...restartChat(uploadId, nowMs, sql`TRUE`),
      auditEntry({ ...actor, atMs: nowMs, action: "upload.chat", target: uploadId }),
      sql`UPDATE uploads SET version = version + 1 WHERE id = ${uploadId}`,
    ],
  );
  if (results === null) throw await refusal(context, uploadId);
  await publishUpload(context.platform, uploadId);
}

async function refusal({ platform }: ServiceContext, uploadId: string): Promise<ApiError> {
  const upload = await findUpload(platform, uploadId);
  if (upload === null) return new ApiError("not_found", "There is no such upload.");
  if (upload.kind !== "twitch")
    return new ApiError("conflict", "Only Twitch VODs have a chat replay.");
  const lacksConsent = await findConsentRefusal(platform.database, uploadId);
  if (lacksConsent !== null) return lacksConsent;
  const reasons = {
    reading: "The chat is being read already.",
    complete: "All of the chat is stored already.",
    partial: "Its deleted chat is still being removed from storage. Please try again in a moment.",
  };
  const { state } = upload.chat;
  const reason = state === "gone" || state === "none" ? NO_FILE : reasons[state];
  return new ApiError("conflict", reason);
}

const NO_FILE = "There is no file to which the chat could belong, or it is being removed.";
