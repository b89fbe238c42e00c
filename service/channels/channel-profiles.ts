import * as z from "zod/mini";
import { twitchUserIdSchema } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { jitter } from "#service/jitter.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { type Job, keep, planOnce } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { storeNames } from "#service/storage/stored-name.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import { recordUnknown } from "./channel-finding.ts";
import { dateDangers } from "./deletion-period.ts";
import { checkJob, DAY_MS, MINUTE_MS, type Polling } from "./polling.ts";

/**
 * Asks Twitch for the users of followed channels once a day: their names, what kind of broadcaster they
 * are, and whether it still knows them. Two answers minutes apart have to lack one that it knew: all are
 * asked for again.
 */

/** Helix's limit of one call. */
const IDS_AT_ONCE = 100;
const CONFIRM_AFTER_MS = 10 * MINUTE_MS;

const IS_DOUBTED = sql`EXISTS (SELECT 1 FROM channels
  WHERE paused_at IS NULL AND unlisted_profile_at IS NOT NULL AND unknown_at IS NULL)`;

/** For the start of a process. Whoever adds a channel has just asked for its user. */
export function planProfileCheck(nowMs: number): Statement {
  return planOnce("profileCheck", nowMs + DAY_MS);
}

/** The one job of the kind. */
export function profileCheckJob(context: ServiceContext, api: TwitchApi): JobHandler {
  return checkJob(
    context,
    (job, signal) => checkProfiles({ context, api, signal }, job),
    (nowMs) => {
      const tomorrowMs = nowMs + DAY_MS * (0.9 + jitter(context.platform.random) / 10);
      return sql`iif(${IS_DOUBTED}, ${nowMs + CONFIRM_AFTER_MS}, ${Math.round(tomorrowMs)})`;
    },
  );
}

const askedRow = z.object({
  owner_id: twitchUserIdSchema,
  display_name: z.string(),
  broadcaster_type: z.string(),
});

async function checkProfiles({ context, api, signal }: Polling, job: Job): Promise<void> {
  const { platform } = context;
  const { database, clock } = platform;
  for (let after: string | undefined = ""; after !== undefined;) {
    const rows = await database.all(sql`SELECT c.owner_id, o.display_name, c.broadcaster_type
      FROM channels c JOIN users o ON o.id = c.owner_id
      WHERE c.paused_at IS NULL AND c.owner_id > ${after} ORDER BY c.owner_id LIMIT ${IDS_AT_ONCE}`);
    const asked = rows.map((row) => askedRow.parse(row));
    const ids = asked.map(({ owner_id: id }) => id);
    const users = await api.users(ids, signal);
    const types = new Map(users.map(({ id, broadcasterType }) => [id, broadcasterType]));
    const nowMs = clock.now();
    const isMissing = sql`unlisted_profile_at <= ${nowMs - CONFIRM_AFTER_MS}`;
    await keep(platform, job, [
      ...storeNames(users, "listed", nowMs),
      sql`UPDATE channels SET broadcaster_type = each.value ->> 'broadcasterType', unknown_at = NULL,
          unlisted_profile_at = NULL
        FROM json_each(${JSON.stringify(users)}) AS each WHERE owner_id = each.value ->> 'id'`,
      ...asked.flatMap(({ owner_id: ownerId, display_name: displayName }) =>
        types.has(ownerId)
          ? []
          : [
              sql`UPDATE channels SET
                  unlisted_profile_at = min(coalesce(unlisted_profile_at, ${nowMs}), ${nowMs})
                WHERE owner_id = ${ownerId}`,
              ...recordUnknown({ ownerId, displayName, nowMs }, isMissing),
            ],
      ),
    ]);
    for (const { owner_id: id, broadcaster_type: type } of asked)
      if ((types.get(id) ?? type) !== type) await dateDangers(database, id, nowMs);
    after = asked.length < IDS_AT_ONCE ? undefined : ids.at(-1);
  }
}
