import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import { planEach } from "#service/jobs/jobs.ts";

/*
 * Names of erased people in chat replays (docs/security.md#erasure). `erased_chatters` keeps the ids
 * of these people: a chat that is stored later leaves their names out, too. A job for each upload,
 * under its id, writes the stored chat anew (chat-erasure.ts).
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
