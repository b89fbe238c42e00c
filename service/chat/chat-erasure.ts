import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { end, type Job, keep } from "#service/jobs/jobs.ts";
import { removeStrayChat } from "#service/storage/chat-record.ts";
import { createStreamedObject } from "#service/storage/streamed-object.ts";
import { eraseSenders } from "./chat-format.ts";
import { RENEW_EVERY_MS } from "./chat-row.ts";
import { readErasedChatters } from "./erased-chatters.ts";

/**
 * Writes the stored chat of the upload of its key anew, without the names (chat-erasure-request.ts). A chat that
 * is being read waits: what is stored of it by then may be of an unaware runner.
 */
export function chatErasureJob(context: ServiceContext): JobHandler {
  const { platform } = context;
  return {
    mayRun: sql`NOT EXISTS (SELECT 1 FROM chats WHERE upload_id = jobs.key AND state = 'reading')`,
    async run(job, signal) {
      const [row] = await platform.database.all(sql`SELECT chat_key FROM uploads
        WHERE id = ${job.key} AND chat_key IS NOT NULL`);
      if (row === undefined) {
        await end(platform, job);
        return;
      }
      const key = objectKeySchema.parse(row.chat_key);
      try {
        await rewrite(context, job, key, signal);
        await end(platform, job);
      } finally {
        // The chat may have been deleted while it was written.
        await removeStrayChat(platform, job.key, key);
      }
    },
  };
}

/** Replaces the object only if a name in it has to go. */
async function rewrite(
  { platform }: ServiceContext,
  job: Job,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const { clock, database, objects } = platform;
  const erased = await readErasedChatters(database);
  const stored = await objects.get(key);
  if (stored === null) return;
  const object = createStreamedObject(objects, key, "application/json");
  const decoder = new TextDecoder();
  let isChanged = false;
  let rest = "";
  let renewedMs = clock.monotonic();

  async function write(text: string): Promise<void> {
    const left = eraseSenders(text, erased);
    isChanged ||= left !== text;
    await object.write(left);
  }

  async function renew(): Promise<void> {
    signal.throwIfAborted();
    renewedMs = clock.monotonic();
    await keep(platform, job);
  }

  try {
    for await (const bytes of stored.body) {
      const text = rest + decoder.decode(bytes, { stream: true });
      const lineEnd = text.lastIndexOf("\n") + 1;
      rest = text.slice(lineEnd);
      if (lineEnd > 0) await write(text.slice(0, lineEnd));
      if (clock.monotonic() - renewedMs >= RENEW_EVERY_MS) await renew();
    }
    await write(rest);
    await renew();
    await (isChanged ? object.finish() : object.abandon());
  } catch (error) {
    await object.abandon().catch(() => undefined);
    throw error;
  }
}
