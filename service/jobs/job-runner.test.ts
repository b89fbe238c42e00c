import { afterAll, beforeEach, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { createJobHandlers } from "#service/job-handlers.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { countRows } from "#service/testing/count-rows.ts";
import type { ResumeQueue, WakeUp } from "#service/ports/resume-queue.ts";
import { optionsOf } from "./job-kinds.ts";
import { createJobRunner, type JobHandler } from "./job-runner.ts";
import { plan } from "./jobs.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const { context, jobNeeds } = world;
const { database } = context.platform;
const { places } = optionsOf("removal");
const KEYS = Array.from({ length: 2 * places }, (_, index) => `vods/${index}.ts`);

beforeEach(() =>
  database.batch([
    sql`DELETE FROM jobs`,
    ...KEYS.map((key) => plan("removal", key, context.platform.clock.now())),
  ]),
);

const SLICE_MS = 1_000;

/** Of the only process, or of one of several with a queue between them. */
function openRunner(run: JobHandler["run"], queue: ResumeQueue | null = null) {
  const platform = {
    ...context.platform,
    queue: queue ?? context.platform.queue,
    runtime: { ...context.platform.runtime, isSoleWriter: queue === null, sliceMs: SLICE_MS },
  };
  const handlers = { ...createJobHandlers(context, jobNeeds), removal: { run } };
  return createJobRunner({ ...context, platform }, handlers);
}

it("runs as many jobs at a time as there are places, and gives back what a stop interrupts", async () => {
  let running = 0;
  const runner = openRunner(async (_job, signal) => {
    running += 1;
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  for (let round = 0; round < 2; round += 1) await runner.round();
  expect(running).toBe(places);
  await runner.stop();
  expect(
    await database.all(sql`SELECT DISTINCT attempts, lease_until, error FROM jobs
      WHERE kind = 'removal'`),
  ).toEqual([{ attempts: 0, lease_until: null, error: null }]);
});

it("is woken by a message where several processes run jobs, which share the places", async () => {
  const sent: WakeUp[] = [];
  const queue = {
    ...context.platform.queue,
    send: async (wakeUp: WakeUp) => void sent.push(wakeUp),
  };
  const done: string[] = [];
  const ends = Promise.withResolvers<"done">();
  const run: JobHandler["run"] = async ({ key }) => {
    done.push(key);
    return await ends.promise;
  };
  const [scheduler, ...consumers] = [1, 2, 3].map(() => openRunner(run, queue));
  // A message that is lost is sent again.
  for (let round = 0; round < 2; round += 1) await scheduler?.round();
  expect(sent).toEqual([{ kind: "removal" }, { kind: "removal" }]);
  expect(done).toEqual([]);
  const runs = consumers.map((consumer) => consumer.run("removal"));
  await expect.poll(() => done.length).toBe(places);
  await scheduler?.round();
  expect(sent).toHaveLength(2);
  // A third one comes late.
  await openRunner(run, queue).run("removal");
  expect(done).toHaveLength(places);
  ends.resolve("done");
  await Promise.all(runs);
  expect(done.toSorted()).toEqual(KEYS.toSorted());
  await scheduler?.round();
  await consumers[0]?.run("removal");
  expect([sent, done].map(({ length }) => length)).toEqual([2, KEYS.length]);
});

it("takes no more jobs for a message after its slice, nor any of a kind that it does not know", async () => {
  let runs = 0;
  const { clock, queue } = context.platform;
  const consumer = openRunner(async () => {
    runs += 1;
    await clock.sleep(SLICE_MS);
    return "done";
  }, queue);
  await consumer.run("newer");
  expect(runs).toBe(0);
  await consumer.run("removal");
  expect(runs).toBe(places);
});

it("runs again, in the same process, what a message began that was ended", async () => {
  const done: string[] = [];
  let isEnded = true;
  const consumer = openRunner(async ({ key }) => {
    if (isEnded) return await new Promise(() => undefined);
    done.push(key);
    return "done";
  }, context.platform.queue);
  void consumer.run("removal");
  const running = sql`jobs WHERE lease_until IS NOT NULL`;
  await expect.poll(() => countRows(database, running)).toBe(places);
  isEnded = false;
  await database.run(sql`UPDATE jobs SET lease_until = 0 WHERE lease_until IS NOT NULL`);
  await consumer.run("removal");
  expect(done.toSorted()).toEqual(KEYS.toSorted());
});

it("runs in the consumer of the host's queue; messages that are lost, late or double change nothing", async () => {
  const { queue } = context.platform;
  const done: string[] = [];
  let received = 0;
  let isLosing = true;
  const noted = (by: string) =>
    openRunner(async ({ key }) => {
      done.push(`${by} ${key}`);
      return "done";
    }, queue);
  const scheduler = noted("scheduler");
  const consumer = {
    async consume(message: WakeUp) {
      received += 1;
      if (!isLosing && "kind" in message) await noted("consumer").run(message.kind);
    },
    stop: async () => undefined,
  };
  world.attachConsumer(consumer);
  await scheduler.round();
  await expect.poll(() => received).toBe(1);
  isLosing = false;
  await scheduler.round();
  await expect.poll(() => done.toSorted()).toEqual(KEYS.map((key) => `consumer ${key}`).toSorted());
  for (let copy = 0; copy < 2; copy += 1) {
    await queue.send({ kind: "removal" });
    await expect.poll(() => received).toBe(3 + copy);
  }
  expect(done).toHaveLength(KEYS.length);
});
