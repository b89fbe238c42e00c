import * as z from "zod/mini";
import { twitchUserIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { jitter } from "#service/jitter.ts";
import { SourceError } from "#service/source/source-error.ts";
import { storeNames } from "#service/storage/stored-name.ts";
import { recordUnknown } from "./channel-finding.ts";
import { dateDangers } from "./deletion-period.ts";
import { DAY_MS, MINUTE_MS, type Polling } from "./polling.ts";

/**
 * Asks Twitch for the users of followed channels once a day: their names, what kind of broadcaster they
 * are, and whether it still knows them. Two answers minutes apart have to lack one that it knew.
 */

/** Helix's limit of one call. */
const IDS_AT_ONCE = 100;
const CONFIRM_AFTER_MS = 10 * MINUTE_MS;

const dueRow = z.object({
  owner_id: twitchUserIdSchema,
  display_name: z.string(),
  broadcaster_type: z.string(),
  unlisted_profile_at: z.nullable(z.number()),
});

/** Call every minute; makes one request at most. An unanswered one is repeated. Rounds may overlap. */
export async function checkProfiles({ context, api, signal }: Polling): Promise<void> {
  const { database, clock, random } = context.platform;
  const nowMs = clock.now();
  // Times further ahead were written while the machine's clock was wrong.
  const rows = await database.all(sql`SELECT c.owner_id, o.display_name, c.broadcaster_type,
      c.unlisted_profile_at
    FROM channels c JOIN users o ON o.id = c.owner_id
    WHERE c.paused_at IS NULL AND c.next_profile_at NOT BETWEEN ${nowMs + 1} AND ${nowMs + DAY_MS}
    LIMIT ${IDS_AT_ONCE}`);
  const due = rows.map((row) => dueRow.parse(row));
  if (due.length === 0) return;
  const ids = due.map(({ owner_id }) => owner_id);
  const users = await api.users(ids, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof SourceError) return null;
    throw error;
  });
  if (users === null) return;
  const known = new Map(users.map((user) => [user.id, user]));
  const tomorrowMs = Math.round(nowMs + DAY_MS * (0.9 + jitter(random) / 10));
  const statements = due.flatMap(({ owner_id: id, unlisted_profile_at: sinceMs, ...channel }) => {
    const which = sql`WHERE owner_id = ${id}`;
    const user = known.get(id);
    if (user !== undefined)
      return [
        sql`UPDATE channels SET broadcaster_type = ${user.broadcasterType}, unknown_at = NULL,
          unlisted_profile_at = NULL, next_profile_at = ${tomorrowMs} ${which}`,
      ];
    if (sinceMs === null)
      return [
        sql`UPDATE channels SET unlisted_profile_at = ${nowMs},
          next_profile_at = ${nowMs + CONFIRM_AFTER_MS} ${which}`,
      ];
    return [
      sql`UPDATE channels SET next_profile_at = ${tomorrowMs} ${which}`,
      ...recordUnknown({ ownerId: id, displayName: channel.display_name, nowMs }),
    ];
  });
  await database.batch([storeNames(users, "listed", nowMs), ...statements]);
  for (const { owner_id: id, broadcaster_type: type } of due)
    if ((known.get(id)?.broadcasterType ?? type) !== type) await dateDangers(database, id, nowMs);
}
