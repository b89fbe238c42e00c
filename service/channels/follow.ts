import type { ServiceContext } from "#service/context.ts";
import type { PendingWork } from "#service/db/pending-work.ts";
import { sql } from "#service/db/sql.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import { judgeVods } from "./judge.ts";
import { dateDangers } from "./deletion-period.ts";
import { findFollowed, readList, recordListFailure, recordSuccess } from "./list.ts";
import { sweepStreams } from "./live-sweep.ts";
import { MINUTE_MS } from "./polling.ts";
import { startChannel } from "./start.ts";

/** The way of a channel's new VOD: its list is read, its rule judges it, and it is started. */
export function listJob(context: ServiceContext, api: TwitchApi): JobHandler {
  const { database, clock } = context.platform;
  return {
    async run(job, signal) {
      const channel = await findFollowed(database, job);
      if (channel === null) return "done";
      const list = await readList(context, api, job, channel, signal);
      if (list.hasNews) {
        await judgeVods(database, channel.owner_id, clock.now());
        await dateDangers(database, channel.owner_id, clock.now());
        await startChannel(context, channel.owner_id);
      }
      if (list.error === null) await recordSuccess(context, job, channel, list.isComplete);
      else await recordListFailure(context, job, channel, list.error);
      return list.error === null ? undefined : "failed";
    },
  };
}

/** Nothing is asked while no channel is followed. `stop` ends what runs. */
export function schedulePolling(
  context: ServiceContext,
  pending: PendingWork,
  api: TwitchApi,
): { stop(): void } {
  const stopping = new AbortController();
  const polling = { context, api, signal: stopping.signal };
  async function sweep(): Promise<void> {
    try {
      await sweepStreams(polling);
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  }
  const followed = sql`SELECT 1 FROM channels`;
  context.platform.scheduler.every(MINUTE_MS, "channels", pending.when(followed, sweep));
  return { stop: () => stopping.abort(new Error("The service stops")) };
}
