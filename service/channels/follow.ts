import type { ServiceContext } from "#service/context.ts";
import { LOOK_EVERY_MS, type PendingWork } from "#service/db/pending-work.ts";
import { sql } from "#service/db/sql.ts";
import { createGqlClient } from "#service/twitch/gql-client.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import { checkProfiles } from "./channel-profiles.ts";
import { judgeVods } from "./judge.ts";
import { dateDangers } from "./deletion-period.ts";
import { readDueLists } from "./list.ts";
import { sweepStreams } from "./live-sweep.ts";
import { MINUTE_MS, type Polling } from "./polling.ts";
import { startByRules } from "./start.ts";
import { checkVods, IS_CHECKED } from "./source-changes.ts";

/** The way of a channel's new VOD: its list is read, its rule judges it, and it is started. */
export async function followLists(polling: Polling): Promise<void> {
  const { database, clock } = polling.context.platform;
  let isJudged = false;
  for await (const channelId of readDueLists(polling)) {
    await judgeVods(database, channelId, clock.now());
    await dateDangers(database, channelId, clock.now());
    isJudged = true;
  }
  if (isJudged) await startByRules(polling.context);
}

/** Nothing is asked while no channel is followed and no VOD is stored. `stop` ends what runs. */
export function schedulePolling(
  context: ServiceContext,
  pending: PendingWork,
  api: TwitchApi,
): { stop(): void } {
  const stopping = new AbortController();
  const polling = { context, api, gql: createGqlClient(context), signal: stopping.signal };
  const task = (run: (polling: Polling) => Promise<void>) => async () => {
    try {
      await run(polling);
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  };
  const { scheduler } = context.platform;
  const followed = sql`SELECT 1 FROM channels`;
  scheduler.every(MINUTE_MS, "live channels", pending.when(followed, task(sweepStreams)));
  scheduler.every(MINUTE_MS, "channels", pending.when(followed, task(checkProfiles)));
  scheduler.every(LOOK_EVERY_MS, "lists of VODs", pending.when(followed, task(followLists)));
  const checked = sql`SELECT 1 FROM vods WHERE ${IS_CHECKED}`;
  scheduler.every(MINUTE_MS, "VODs at the source", pending.when(checked, task(checkVods)));
  return { stop: () => stopping.abort(new Error("The service stops")) };
}
