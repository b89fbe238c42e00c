import { twitchUserIdSchema, type TwitchUserId } from "#contract/ids.ts";
import { TROUBLE } from "#service/channels/channel-finding.ts";
import { sweepStreams } from "#service/channels/live-sweep.ts";
import type { Polling } from "#service/channels/polling.ts";
import { vodCheckJob } from "#service/channels/source-changes.ts";
import { sql } from "#service/db/sql.ts";
import { createFeatures } from "#service/features.ts";
import { createJobHandlers } from "#service/job-handlers.ts";
import { createJobRunner, runDue } from "#service/jobs/job-runner.ts";
import { plan, SOLE } from "#service/jobs/jobs.ts";
import { createAppToken } from "#service/twitch/app-token.ts";
import { createTwitchApi } from "#service/twitch/twitch-api.ts";
import { ADMIN, startTestService } from "./test-service.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Rarer than the scheduler reads lists, to take fewer statements. */
const LISTS_EVERY_MS = 10 * SECOND_MS;

/** The tasks that follow channels, called by the test, and one channel after each `reset`. */
export async function openPollingWorld() {
  const vodkeep = await startTestService();
  const { context, clock, twitch } = vodkeep;
  const { database } = vodkeep.platform;
  const { control } = twitch;
  const polling: Polling = {
    context,
    api: createTwitchApi(context, createAppToken(context)),
    signal: new AbortController().signal,
  };
  const features = await createFeatures(context);
  let channel = twitchUserIdSchema.parse("1");

  /** Runs its jobs itself. */
  const runtime = { ...context.platform.runtime, isSoleWriter: true };
  const alone = { ...context, platform: { ...context.platform, runtime } };

  /** Reads the lists that are due, as a process does in one round. */
  async function readLists({ api = polling.api } = {}): Promise<void> {
    const needs = { ...features, backgroundTwitchApi: api };
    const runner = createJobRunner(alone, createJobHandlers(context, needs));
    await runner.round();
    await runner.settled();
  }

  /** Follows a new channel, which keeps past broadcasts for ever and has none. */
  async function follow(): Promise<TwitchUserId> {
    const { id, login } = await control.addAccount({ keepsDays: null });
    const nowMs = clock.now();
    await database.batch([
      sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at) VALUES
        (${ADMIN}, 'avery', 'Avery', 0), (${id}, ${login}, ${login}, 0)`,
      sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
        VALUES (${id}, ${nowMs}, ${ADMIN}, ${ADMIN})`,
      plan("list", id, nowMs),
    ]);
    return twitchUserIdSchema.parse(id);
  }

  /** Values of the channel, or of each of its VODs. */
  async function column(of: "channels" | "vods", name: string): Promise<readonly unknown[]> {
    const rows = await database.all({
      sql: `SELECT ${name} AS value FROM ${of} WHERE owner_id = ?`,
      values: [channel],
    });
    return rows.map(({ value }) => value);
  }

  async function checkVods(): Promise<void> {
    await runDue(context, "vodCheck", vodCheckJob(context, polling.api), 1);
  }

  return {
    /** Looks up the VODs that are due. */
    checkVods,
    settings: twitch.settings,
    close: () => vodkeep.close(),
    database,
    clock,
    control,
    polling,
    follow,
    readLists,
    column,
    /** Follows a new channel alone. */
    reset: async (): Promise<TwitchUserId> => {
      await control.clearFaults();
      await database.batch([
        sql`DELETE FROM uploads`,
        sql`DELETE FROM files`,
        sql`DELETE FROM vods`,
        sql`DELETE FROM channels`,
        sql`DELETE FROM jobs`,
        sql`DELETE FROM notification_events`,
        sql`UPDATE deployment SET streams_swept_at = NULL`,
        plan("profileCheck", SOLE, clock.now()),
      ]);
      channel = await follow();
      return channel;
    },
    /** Runs the tasks as the scheduler does, for so long. */
    pass: async (ms: number): Promise<void> => {
      for (let passedMs = 0; passedMs < ms; passedMs += LISTS_EVERY_MS) {
        clock.advance(LISTS_EVERY_MS);
        if (passedMs % MINUTE_MS === 0) await sweepStreams(polling);
        await readLists();
      }
    },
    /** Makes the whole list due, and reads it. */
    listAgain: async (): Promise<void> => {
      clock.advance(MINUTE_MS);
      await database.batch([
        sql`UPDATE jobs SET due_at = 0`,
        sql`UPDATE channels SET listed_at = NULL`,
      ]);
      await readLists();
    },
    trouble: async () => {
      const [row] = await database.all(sql`SELECT ${TROUBLE} AS trouble
        FROM channels c JOIN users o ON o.id = c.owner_id WHERE c.owner_id = ${channel}`);
      return row?.["trouble"];
    },
    /** Requests to Helix so far. */
    requestsFor: async (path: string): Promise<number> => {
      const asked = await control.requests({ kind: "helix" });
      return asked.filter((request) => request.path.endsWith(path)).length;
    },
    helixFails: () =>
      control.addFault({
        match: { kind: "helix" },
        fault: { type: "status", status: 500 },
        times: "forever",
      }),
  };
}
