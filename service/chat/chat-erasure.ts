import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { end, type Job, keep, planEach } from "#service/jobs/jobs.ts";
import { removeStrayChat } from "#service/storage/chat-record.ts";
import { createStreamedObject } from "#service/storage/streamed-object.ts";
import { eraseSenders } from "./chat-format.ts";
import { RENEW_EVERY_MS } from "./chat-row.ts";
import { readErasedChatters } from "./erased-chatters.ts";

/*
 * Names of erased people in chat replays (docs/security.md#erasure). `erased_chatters` keeps the ids
 * of these people: a chat that is stored later leaves their names out, too. A job for each upload,
 * under its id, writes the stored chat anew.
 */

/** Plans it for all chats, stored or being read, and returns their number. Safe to repeat. */
export async function eraseChatter(
  { platform: { clock, database } }: ServiceContext,
  userId: string,
  actor: Actor,
): Promise<number> {
  const nowMs = clock.now();
  const results = await database.batch([
    ...recordedChange(
      sql`INSERT INTO erased_chatters (user_id, erased_at) VALUES (${userId}, ${nowMs})
        ON CONFLICT (user_id) DO UPDATE SET erased_at = excluded.erased_at`,
      nowMs,
      { audit: { ...actor, action: "user.erase_chat", target: userId } },
    ),
    planEach("erasure", SELECT_CHATS, nowMs),
  ]);
  return results.at(-1)?.changes ?? 0;
}

/** Those that are stored, and those that an unaware runner may be about to store. */
const SELECT_CHATS = sql`SELECT c.upload_id AS key FROM chats c JOIN uploads u ON u.id = c.upload_id
  WHERE u.chat_key IS NOT NULL OR c.state = 'reading'`;

export const COUNT_CHATS = sql`SELECT count(*) FROM (${SELECT_CHATS})`;

/** A chat that is being read waits: what is stored of it by then may be of an unaware runner. */
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
