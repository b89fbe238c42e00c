import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import type { Statement } from "#service/ports/database.ts";
import { LeaseLost } from "#service/storage/lease.ts";
import { createStreamedObject } from "#service/storage/streamed-object.ts";
import { correctDate, eraseSenders } from "./chat-format.ts";
import {
  endChatLease,
  removeStrayChat,
  RENEW_EVERY_MS,
  renewed,
  takeStoredChat,
} from "./chat-lease.ts";
import type { ChatRow } from "./chat-row.ts";
import { readErasedChatters } from "./erased-chatters.ts";
import * as z from "zod/mini";

/*
 * Names of erased people in chat replays (docs/security.md#erasure). `erased_chatters` keeps the ids
 * of these people: a chat that is stored later leaves their names out, too. `chat_erasures` has the
 * uploads whose stored chat is still to be written anew; `asked_at` is 0 where only the date of the
 * broadcast may be wrong (storage/chat-record.ts). Both are put right in one pass.
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
    sql`INSERT INTO chat_erasures (upload_id, asked_at)
      SELECT upload_id, ${nowMs} FROM (${SELECT_CHATS}) WHERE TRUE
      ON CONFLICT (upload_id) DO UPDATE SET asked_at = excluded.asked_at`,
  ]);
  return results.at(-1)?.changes ?? 0;
}

/** Those that are stored, and those that an unaware runner may be about to store. */
const SELECT_CHATS = sql`SELECT c.upload_id FROM chats c JOIN uploads u ON u.id = c.upload_id
  WHERE u.chat_key IS NOT NULL OR c.state = 'reading'`;

export const COUNT_CHATS = sql`SELECT count(*) FROM (${SELECT_CHATS})`;

const erasureRow = z.object({
  chat_key: z.nullable(objectKeySchema),
  recorded_at: z.nullable(z.number()),
  asked_at: z.number(),
});
type Erasure = z.infer<typeof erasureRow>;

/**
 * Writes the next stored chat anew, under its lease. Call every few seconds. After a fault that chat
 * waits until the lease expires.
 * @throws {LeaseLost}, {StoreError}
 */
export async function eraseNextNames(
  context: ServiceContext,
  owner: string,
  signal: AbortSignal,
): Promise<void> {
  const { database } = context.platform;
  const chat = await takeStoredChat(
    context.platform,
    owner,
    sql`upload_id IN (SELECT upload_id FROM chat_erasures)`,
  );
  if (chat === null) return;
  const { upload_id: uploadId } = chat;
  const [row] = await database.all(sql`
    SELECT u.chat_key, u.recorded_at, e.asked_at FROM chat_erasures e JOIN uploads u ON u.id = e.upload_id
    WHERE e.upload_id = ${uploadId}`);
  if (row === undefined) return;
  const erasure = erasureRow.parse(row);
  const { chat_key: key, asked_at: askedAt } = erasure;
  if (key !== null) await rewrite(context, chat, key, erasure, signal);
  const results = await batchIf(database, holdsLease(chat), [
    // Stays if it was asked for again meanwhile.
    sql`DELETE FROM chat_erasures WHERE upload_id = ${uploadId} AND asked_at = ${askedAt}`,
    endChatLease(chat),
  ]);
  if (results === null && key !== null) await removeStrayChat(context.platform, uploadId, key);
}

function holdsLease({ upload_id: uploadId, epoch }: ChatRow): Statement {
  return sql`EXISTS (SELECT 1 FROM chats WHERE upload_id = ${uploadId} AND epoch = ${epoch})`;
}

/** Replaces the object only if a name in it has to go, or its date is wrong. */
async function rewrite(
  { platform }: ServiceContext,
  chat: ChatRow,
  key: ObjectKey,
  { recorded_at: recordedAtMs, asked_at: askedAt }: Erasure,
  signal: AbortSignal,
): Promise<void> {
  const { clock, database, objects } = platform;
  const erased = await readErasedChatters(database);
  const stored = await objects.get(key);
  if (stored === null) return;
  const object = createStreamedObject(objects, key, "application/json");
  const decoder = new TextDecoder();
  let isChanged = false;
  let isHeader = true;
  let rest = "";
  let renewedMs = clock.monotonic();

  async function write(text: string): Promise<void> {
    let right = eraseSenders(text, erased);
    if (isHeader && recordedAtMs !== null) right = correctDate(right, recordedAtMs);
    isHeader = false;
    isChanged ||= right !== text;
    await object.write(right);
  }

  async function renew(): Promise<void> {
    signal.throwIfAborted();
    renewedMs = clock.monotonic();
    const renewal = sql`UPDATE chats SET ${renewed(clock.now())} WHERE upload_id = ${chat.upload_id}`;
    if ((await batchIf(database, holdsLease(chat), [renewal])) === null)
      throw new LeaseLost("Another runner holds this chat");
  }

  try {
    for await (const bytes of stored.body) {
      const text = rest + decoder.decode(bytes, { stream: true });
      const end = text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      if (end > 0) await write(text.slice(0, end));
      if (askedAt === 0 && !isHeader && !isChanged) break;
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
