import type { ObjectKey } from "#contract/files.ts";
import { decodeManifest, type ArchiveManifest } from "#service/archiver/archive-manifest.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { type Job, keep } from "#service/jobs/jobs.ts";
import { vodOf } from "#service/storage/item-id.ts";
import { archiveKeys } from "#service/storage/object-keys.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { createStreamedObject } from "#service/storage/streamed-object.ts";
import {
  CHAT_END,
  CHAT_SEPARATOR,
  chatHeader,
  eraseSenders,
  type ChatAbout,
} from "./chat-format.ts";
import { readPiece } from "./chat-pieces.ts";
import { type ChatRow, RENEW_EVERY_MS } from "./chat-row.ts";
import { readErasedChatters } from "./erased-chatters.ts";
import * as z from "zod/mini";

/** The upload that a chat belongs to, at the beginning of a slice. */
export const chatUpload = z.object({
  kind: z.string(),
  status: z.string(),
  vod_id: z.string(),
  source_url: z.nullable(z.string()),
  filename: z.string(),
  title: z.nullable(z.string()),
  duration_sec: z.nullable(z.number()),
  recorded_at: z.nullable(z.number()),
  created_at: z.number(),
  owner_id: z.string(),
  login: z.string(),
  display_name: z.string(),
});
export type ChatUpload = z.infer<typeof chatUpload>;

export function chatKeyOf({ upload_id: uploadId }: ChatRow, upload: ChatUpload): ObjectKey {
  return keysOf(uploadId, upload).chat;
}

/** The sidecars' keys do not depend on the container. */
function keysOf(uploadId: string, { owner_id: ownerId, vod_id: vodId }: ChatUpload) {
  return archiveKeys({ ownerId, vodId, uploadId }, "ts");
}

/**
 * Joins the pieces and `tail` to one object, which replaces an earlier one.
 * @throws {JobLost}, {StoreError}, and what readPiece throws
 */
export async function joinChat(
  { platform }: ServiceContext,
  job: Job,
  chat: ChatRow,
  upload: ChatUpload,
  tail: string,
  signal: AbortSignal,
): Promise<void> {
  const { clock, database, objects } = platform;
  const about = await describeVideo(platform, chat, upload);
  const erased = await readErasedChatters(database);
  const object = createStreamedObject(objects, chatKeyOf(chat, upload), "application/json");
  const decoder = new TextDecoder();
  let renewedMs = clock.monotonic();
  try {
    await object.write(chatHeader(about, clock.now()));
    const pieces = await database.all(sql`
      SELECT object_key, size_bytes FROM chat_pieces WHERE upload_id = ${chat.upload_id} ORDER BY number`);
    for (const [index, piece] of pieces.entries()) {
      signal.throwIfAborted();
      const bytes = await readPiece(platform, piece);
      await object.write(index === 0 ? "\n" : CHAT_SEPARATOR);
      await object.write(erased.size === 0 ? bytes : eraseSenders(decoder.decode(bytes), erased));
      if (clock.monotonic() - renewedMs < RENEW_EVERY_MS) continue;
      renewedMs = clock.monotonic();
      await keep(platform, job);
    }
    if (tail !== "")
      await object.write(
        (pieces.length === 0 ? "\n" : CHAT_SEPARATOR) + eraseSenders(tail, erased),
      );
    await object.write(CHAT_END);
    await object.finish();
  } catch (error) {
    await object.abandon().catch(() => undefined);
    throw error;
  }
}

/** The plan of the archive; null if there is none. */
export async function readPlan(
  { objects }: ServiceContext["platform"],
  { upload_id: uploadId }: ChatRow,
  upload: ChatUpload,
): Promise<ArchiveManifest | null> {
  const bytes = await readStored(objects, keysOf(uploadId, upload).manifest);
  return bytes === null ? null : decodeManifest(bytes);
}

/** From the plan, or from the upload's row if there is none. */
async function describeVideo(
  platform: ServiceContext["platform"],
  chat: ChatRow,
  upload: ChatUpload,
): Promise<ChatAbout> {
  const source = (await readPlan(platform, chat, upload))?.source;
  return (
    source ?? {
      vodId: vodOf(upload.vod_id),
      ownerId: upload.owner_id,
      ownerLogin: upload.login,
      ownerDisplayName: upload.display_name,
      title: upload.title ?? upload.filename,
      createdAt: new Date(upload.recorded_at ?? upload.created_at).toISOString(),
      durationSec: upload.duration_sec,
    }
  );
}
