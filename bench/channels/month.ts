import type { RuleChanges } from "#contract/channel-rules.ts";
import { MAX_CHANNELS_ADDED } from "#contract/limits.ts";
import type { Service } from "#service/app.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { readSettings } from "#service/settings.ts";
import { startTwitchStandIn } from "#stand-ins/twitch/server.ts";
import { createSeededDice } from "../seeded-dice.ts";
import { drawFaults, endFaults } from "../simulate/faults.ts";
import { createLife, type Connect } from "../simulate/life.ts";
import { createSharedDatabase } from "../simulate/shared-database.ts";
import { createSharedMail } from "../simulate/shared-mail.ts";
import { createSharedHub, createSharedQueue } from "../simulate/shared-queue.ts";
import { createSharedStore } from "../simulate/shared-store.ts";
import { ADMIN, addUsers } from "../simulate/signed-in-users.ts";
import { beginDatabase } from "../simulate/simulated-database.ts";
import { openService, type Deployment } from "../simulate/simulated-process.ts";
import { createTimeline } from "../simulate/timeline.ts";
import { createTrace } from "../simulate/trace.ts";
import { createUserRequests, ORIGIN } from "../simulate/user-requests.ts";
import { useVirtualGlobals } from "../simulate/virtual-globals.ts";
import { startCopier } from "./copier.ts";
import { checkMonth, createRequestGauge } from "./month-check.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, planMonth } from "./month-plan.ts";

export type MonthOptions = {
  readonly seed: number;
  readonly channels: number;
  readonly days: number;
  /** What can be copied in that time, of all VODs there are; 1 is not enough at peaks. */
  readonly bandwidth: number;
};

const START_MS = Date.UTC(2026, 0, 1);
/** Copies at the same time. */
const SLOTS = 3;
const OUTAGE_MS = 6 * HOUR_MS;
/** The tasks that follow channels, and those of retention, which relies on scans of the store. */
const TASKS = /channel|VOD|rules|trash|store reconciliation|jobs/;

/** What a channel's rule changes, by its group. */
const GROUPS: readonly RuleChanges[] = [
  {},
  { kinds: ["archive", "highlight", "upload"] },
  { minDurationSec: 3_600 },
  { retention: { keep: "count", count: 1 } },
];
const SHARED: RuleChanges = { backDays: null, titleExcludes: ["rerun"], chat: false };

/**
 * Runs the service for days of virtual time with channels that broadcast, at a source that is down
 * for six hours, and in a process that is killed and stopped at random. Only the copying is modelled.
 * Everything that was found wrong is returned.
 */
export async function simulateMonth(options: MonthOptions, print?: (line: string) => void) {
  const { seed, channels, days } = options;
  const dice = createSeededDice(seed);
  const timeline = createTimeline(START_MS);
  const trace = createTrace(timeline, START_MS, print);
  const faults = drawFaults(dice);
  endFaults(faults);
  const standIn = await startTwitchStandIn({ now: () => timeline.now() });
  const database = await beginDatabase();
  await addUsers(database, START_MS);
  const plan = planMonth(timeline, dice.fork("plan"), standIn.control, {
    channels,
    days,
    groups: GROUPS.length,
  });
  const outageMs = START_MS + Math.floor(days * 0.4 * DAY_MS);
  plan.disturbances.push({ channelId: null, fromMs: outageMs, toMs: outageMs + OUTAGE_MS });
  const gauge = createRequestGauge();
  const demandMs = plan.vods.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const speed = (options.bandwidth * demandMs) / (days * DAY_MS) / SLOTS;
  const restoreGlobals = useVirtualGlobals(timeline);
  const chance = dice.fork("processes");
  let service: Service | null = null;
  const failures: string[] = [];
  let isOver = false;
  const fail = (error: unknown): void => {
    failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };

  const twitch: Connect<OutgoingFetch> = (life) => (url, init) => {
    const way = { delayMs: chance.between(5, 300), answerAfterMs: chance.between(5, 300) };
    return life.call(`source ${new URL(url).pathname}`, way, () => {
      if (url.includes("/helix/")) gauge.add(timeline.now());
      const sinceMs = timeline.now() - outageMs;
      if (sinceMs >= 0 && sinceMs < OUTAGE_MS) return new Response("", { status: 503 });
      return standIn.fetch(url, init);
    });
  };
  const store = createSharedStore(timeline, faults, dice, "none");
  const deployment: Deployment = {
    database: createSharedDatabase(database, faults, dice, () => Promise.resolve()),
    store,
    queue: createSharedQueue(timeline, faults, dice, () => undefined),
    hub: createSharedHub(dice),
    mail: createSharedMail(faults, dice),
    twitch,
    settings: readSettings({
      ...standIn.settings,
      PUBLIC_URL: ORIGIN,
      ADMIN_TWITCH_IDS: ADMIN,
      RATE_LIMIT_FACTOR: "100000",
      SECRET_KEY: "a key for simulations only",
    }),
    runtime: {
      smallestPartBytes: 5_242_880,
      copyBufferBytes: 1,
      bodyBufferBytes: 1,
      connectionsPerArchive: 1,
      sliceMs: HOUR_MS,
      longestRunMs: HOUR_MS,
      checkpointBytes: 0,
      progressEveryMs: 5_000,
      archiveConcurrency: 1,
      archivePlaces: SLOTS,
      isSoleWriter: true,
    },
  };

  let lives = 0;
  function start(): void {
    lives += 1;
    const ofLife = dice.fork(`life ${lives}`);
    const life = createLife(`a${lives}`, {
      timeline,
      dice: ofLife,
      trace,
      onDeath() {
        service = null;
        const downMs = ofLife.between(1_000, 5 * MINUTE_MS);
        const fromMs = timeline.now();
        plan.disturbances.push({ channelId: null, fromMs, toMs: fromMs + downMs });
        timeline.at(downMs, start);
      },
    });
    timeline.at(ofLife.between(HOUR_MS, 48 * HOUR_MS), () => {
      if (ofLife.chance(0.5)) life.killAt(ofLife.between(1, 60), ofLife.chance(0.5));
      else service?.stop().then(() => life.kill(), fail);
    });
    openService(life, deployment, timeline, ofLife, true, (name) => TASKS.test(name)).then(
      (opened) => void (service = opened),
      fail,
    );
  }

  const send = createUserRequests({ timeline, trace, database, anyService: () => service });
  async function addChannels(names: readonly string[], own: RuleChanges): Promise<void> {
    const confirmation = { reason: "The streamers asked for it." };
    const body = JSON.stringify({ names, confirmation, changes: { ...SHARED, ...own } });
    const headers = { "content-type": "application/json" };
    const answer = await send(ADMIN, "POST", "/admin/channels", { body, headers });
    if (answer?.status !== 200) throw new Error(`No channels: ${await answer?.text()}`);
  }

  async function live(): Promise<void> {
    await timeline.sleep(MINUTE_MS);
    for (const [group, changes] of GROUPS.entries()) {
      const names = plan.channels.flatMap((each) => (each.group === group ? [each.login] : []));
      for (let from = 0; from < names.length; from += MAX_CHANNELS_ADDED)
        await addChannels(names.slice(from, from + MAX_CHANNELS_ADDED), changes);
    }
    gauge.reset();
    await timeline.sleep(START_MS + days * DAY_MS - timeline.now());
    isOver = true;
  }

  try {
    start();
    live().catch(fail);
    const copier = startCopier({
      timeline,
      platform: {
        clock: timeline,
        database,
        runtime: { ...deployment.runtime, host: "copier", startedAt: new Date(START_MS) },
      },
      slots: SLOTS,
      speed,
      keepObject: (key, sizeBytes) => store.hold(key, sizeBytes),
      findVod: (vodId) => plan.byId.get(vodId) ?? null,
    });
    await timeline.run(() => failures.length > 0 || isOver);
    const found = await checkMonth(database, plan, timeline.now(), { slots: SLOTS, speed });
    return {
      seed,
      problems: [...failures, ...found.problems, ...gauge.problems()],
      numbers: { ...found.numbers, lives, picks: copier.picks, ...gauge.numbers() },
      traceHash: trace.hash(),
      lastLines: trace.lastLines(),
      steps: timeline.steps,
    };
  } finally {
    restoreGlobals();
    database.end();
    await standIn.close();
  }
}
