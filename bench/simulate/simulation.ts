import type { Service } from "#service/app.ts";
import { sql } from "#service/db/sql.ts";
import { readSettings } from "#service/settings.ts";
import { BrokenInvariant, mustHold } from "./broken-invariant.ts";
import { createSeededDice, type SeededDice } from "../seeded-dice.ts";
import { checkEnd } from "./end-check.ts";
import { drawFaults, endFaults } from "./faults.ts";
import { createLife, type Life } from "./life.ts";
import { createSharedDatabase } from "./shared-database.ts";
import { createSharedMail } from "./shared-mail.ts";
import { createSharedHub, createSharedQueue } from "./shared-queue.ts";
import { createSharedStore } from "./shared-store.ts";
import { beginDatabase } from "./simulated-database.ts";
import { openService, type Deployment } from "./simulated-process.ts";
import { createSimulatedTwitch, TWITCH_SETTINGS } from "./simulated-twitch.ts";
import { PART_BYTES } from "./simulated-vod.ts";
import { ADMIN, addUsers } from "./signed-in-users.ts";
import { createSimulatedUsers } from "./simulated-users.ts";
import { ORIGIN } from "./user-requests.ts";
import { createTimeline } from "./timeline.ts";
import { createTrace } from "./trace.ts";
import { useVirtualGlobals } from "./virtual-globals.ts";
import { createWatch } from "./watch.ts";

const START_MS = Date.UTC(2026, 0, 1);

/**
 * Once nothing fails any more, everything has to end within this time. An object that is announced,
 * but never stored, is forgotten after an hour.
 */
const CALM_WITHIN_MS = 2 * 3_600_000;
const LOOK_EVERY_MS = 10_000;
const LONGEST_MS = 24 * 3_600_000;

/** A process in its current life; `service` is null while it starts, stops or is dead. */
type Process = { life: Life; service: Service | null; lives: number };

/**
 * Runs the service on simulated ports: up to three processes share a database, a store, a queue and
 * a mail server that fail, while users act. Then the failures end, the work comes to its end, and
 * everything is checked. The same seed is the same run.
 */
export async function simulate(seed: number, print?: (line: string) => void) {
  const dice = createSeededDice(seed);
  const timeline = createTimeline(START_MS);
  const trace = createTrace(timeline, START_MS, print);
  const faults = drawFaults(dice.fork("faults"));
  const mayRepeat =
    faults.databaseRefuses + faults.databaseAnswerLost + faults.kill + faults.suspend > 0;
  const database = await beginDatabase();
  await addUsers(database, START_MS);
  const restoreGlobals = useVirtualGlobals(timeline);
  let broken: Error | null = null;
  const fail = (error: unknown): void => {
    broken ??= error instanceof Error ? error : new Error(String(error));
  };

  const store = createSharedStore(
    timeline,
    faults,
    dice.fork("store"),
    dice.pick(["sha-256", "md5", "none"]),
  );
  // Before the faults end, which may still have effects.
  const databaseAnswers = faults.databaseRefuses + faults.databaseAnswerLost === 0;
  /** With a database that answers, nobody may take the lease of a life that was never disturbed. */
  function isUndisturbed(owner: string): boolean {
    const one = processes.find(({ life }) => owner.startsWith(`${life.name}-`));
    return databaseAnswers && one !== undefined && one.service !== null && !one.life.wasDisturbed;
  }
  const watch = await createWatch(database, store, isUndisturbed);
  const mail = createSharedMail(faults, dice.fork("mail"));
  const processes: Process[] = [];
  const chance = dice.fork("processes");

  function anyService(): Service | null {
    const up = processes.flatMap(({ service }) => (service === null ? [] : [service]));
    return up.length === 0 ? null : chance.pick(up);
  }

  const isSole = dice.chance(0.3);
  const deployment: Deployment = {
    database: createSharedDatabase(database, faults, dice.fork("database"), (life) =>
      watch.afterWrite(life),
    ),
    store,
    queue: createSharedQueue(timeline, faults, dice.fork("queue"), (message) => {
      anyService()
        ?.consume(message)
        .catch(() => undefined);
    }),
    hub: createSharedHub(dice.fork("hub")),
    mail,
    twitch: createSimulatedTwitch(timeline, faults, dice.fork("twitch")),
    settings: readSettings({
      ...TWITCH_SETTINGS,
      PUBLIC_URL: ORIGIN,
      ADMIN_TWITCH_IDS: ADMIN,
      RATE_LIMIT_FACTOR: "100000",
      MAX_RETRIES: dice.fork("retries").pick(["0", "1", "3"]),
      SECRET_KEY: "a key for simulations only",
      MAIL_FROM: "vodkeep@example.org",
      SMTP_URL: "smtp://mail.test",
    }),
    runtime: {
      smallestPartBytes: PART_BYTES,
      copyBufferBytes: 6 * PART_BYTES,
      bodyBufferBytes: dice.pick([4, 6]) * PART_BYTES,
      connectionsPerArchive: dice.between(1, 6),
      sliceMs: dice.pick([60_000, 3_600_000]),
      longestRunMs: dice.pick([12 * 60_000, Infinity]),
      checkpointBytes: dice.pick([0, 0, 2 * PART_BYTES]),
      progressEveryMs: dice.pick([1_000, 5_000]),
      archiveConcurrency: dice.between(1, 3),
      archivePlaces: 3,
      isSoleWriter: isSole,
    },
  };

  function start(index: number): void {
    const before = processes[index];
    const lives = (before?.lives ?? 0) + 1;
    const life = createLife(`${"abc"[index]}${lives}`, {
      timeline,
      dice: chance,
      trace,
      onDeath() {
        one.service = null;
        timeline.at(chance.between(100, 15_000), () => start(index));
      },
    });
    const one: Process = { life, service: null, lives };
    processes[index] = one;
    if (chance.chance(faults.kill / 4)) life.killAt(chance.between(1, 40), chance.chance(0.5));
    open(one, index).catch((error: unknown) => {
      trace.add(`${life.name} did not start: ${String(error)}`);
      life.kill();
    });
  }

  async function open(one: Process, index: number): Promise<void> {
    const ofLife = chance.fork(one.life.name);
    one.service = await openService(one.life, deployment, timeline, ofLife, index === 0);
  }

  async function stop(one: Process): Promise<void> {
    const { life, service } = one;
    if (service === null) return;
    one.service = null;
    trace.add(`${life.name} stops`);
    await service.stop();
    life.kill();
  }

  /** A disk that was never mounted would be claimed as it is. */
  async function unmount(forMs: number): Promise<void> {
    const claimed = sql`SELECT 1 FROM deployment WHERE store_claimed_at IS NOT NULL`;
    if ((await database.all(claimed)).length === 0) return;
    trace.add(`the store is unmounted for ${forMs} ms`);
    store.unmount(forMs);
  }

  async function strike(by: SeededDice): Promise<void> {
    if (by.chance(faults.storeUnmounted)) await unmount(by.between(1_000, 120_000));
    if (by.chance(faults.storeDenies)) store.deny(by.between(1_000, 120_000));
    const one = by.pick(processes);
    if (by.chance(faults.kill)) one.life.killAt(by.between(1, 60), by.chance(0.5));
    else if (by.chance(faults.stop)) stop(one).catch(() => one.life.kill());
    const other = by.pick(processes);
    if (by.chance(faults.suspend)) other.life.suspend(by.between(10_000, 90_000));
  }

  const users = createSimulatedUsers({
    timeline,
    dice: dice.fork("users"),
    trace,
    database,
    store,
    watch,
    anyService,
    seed,
  });
  let isOver = false;

  async function live(): Promise<void> {
    const by = dice.fork("life");
    const actions = by.between(4, 14);
    const acting: Promise<unknown>[] = [];
    for (let done = 0; done < actions; done += 1) {
      await timeline.sleep(by.between(500, 20_000));
      acting.push(users.act().catch(fail));
      await strike(by);
    }
    await timeline.sleep(by.between(1_000, 60_000));
    endFaults(faults);
    for (const { life } of processes) life.killAt(Infinity, false);
    trace.add("faults end");
    await Promise.all(acting);
    const calmFromMs = timeline.now();
    do {
      while (!(await isCalm())) {
        mustHold(
          timeline.now() - calmFromMs < CALM_WITHIN_MS,
          "everything comes to its end",
          await unfinished(),
        );
        await timeline.sleep(LOOK_EVERY_MS);
        await users.sendRest();
      }
      // What a process still does has to be harmless, or may begin something.
      await timeline.sleep(25_000);
      if (by.chance(0.7)) await users.retryFailed();
    } while (!(await isCalm()));
    for (const { service } of processes) await service?.stop();
    await watch.afterWrite(null);
    await checkEnd({ watch, store, mail, database, users, mayRepeat });
    isOver = true;
  }

  async function isCalm(): Promise<boolean> {
    return (await unfinished()) === "";
  }

  async function unfinished(): Promise<string> {
    const rows = await database.all(sql`
      SELECT kind || ' ' || id || ' ' || status || ' ' || ifnull(phase, '') AS what FROM uploads
        WHERE status IN ('pending', 'processing')
      UNION ALL SELECT kind || ' ' || key FROM jobs WHERE kind IN ('removal', 'abort', 'cancel')
      UNION ALL SELECT 'event ' || seq FROM notification_events WHERE dispatched_at IS NULL
      UNION ALL SELECT 'delivery ' || seq FROM notification_deliveries WHERE status = 'pending'`);
    return rows.map((row) => String(row.what)).join(", ");
  }

  try {
    const count = isSole ? 1 : dice.between(2, 3);
    for (let index = 0; index < count; index += 1) start(index);
    live().catch(fail);
    await timeline.run(() => broken !== null || isOver || timeline.now() - START_MS > LONGEST_MS);
    mustHold(broken !== null || isOver, "everything comes to its end", "something hangs");
  } catch (error) {
    fail(error);
  } finally {
    restoreGlobals();
    database.end();
  }
  const uploads: Record<string, number> = {};
  for (const { kind, status } of watch.rows.uploads.values())
    uploads[`${kind} ${status}`] = (uploads[`${kind} ${status}`] ?? 0) + 1;
  return {
    seed,
    /** Null if every invariant held. */
    broken: broken === null ? null : describe(broken),
    traceHash: trace.hash(),
    lastLines: trace.lastLines(),
    /** Number of events on the timeline. */
    steps: timeline.steps,
    virtualMs: timeline.now() - START_MS,
    uploads,
  };
}

function describe(error: Error): { invariant: string; message: string } {
  return error instanceof BrokenInvariant
    ? { invariant: error.invariant, message: error.message }
    : { invariant: "no unexpected error", message: error.stack ?? error.message };
}
