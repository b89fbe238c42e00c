import * as fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { host } from "#host-under-test";
import { createManualClock } from "#hosts/node/testing/manual-clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { optionsOf } from "./job-kinds.ts";
import {
  advanced,
  again,
  end,
  hasten,
  type Job,
  JobLost,
  keep,
  later,
  plan,
  take,
  wakeEach,
} from "./jobs.ts";

const KIND = "reindex";
const { leaseMs, firstDelayMs, longestDelayMs } = optionsOf(KIND);
const FAULT = { message: "It failed." };
const START_MS = Date.UTC(2026, 0, 1);

const database = await host.openDatabase();
beforeEach(() => database.run(sql`DELETE FROM jobs`));
afterAll(() => database.close());

type State = { dueMs: number; attempts: number; holder: Job | null; leaseUntilMs: number };

const runner = fc.nat(1);
const key = fc.constantFrom("a", "b");
const step = fc.oneof(
  fc.record({ do: fc.constant("plan" as const), key, inMs: fc.nat(20_000) }),
  fc.record({ do: fc.constant("take" as const), runner, limit: fc.integer({ min: 1, max: 2 }) }),
  fc.record({
    do: fc.constantFrom("keep" as const, "end" as const, "later" as const, "again" as const),
    runner,
    key,
  }),
  fc.record({ do: fc.constant("hasten" as const), key }),
  fc.record({ do: fc.constant("pass" as const), ms: fc.nat(2 * leaseMs) }),
);

test("a job is as its states say, and only the holder of its newest lease writes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      await database.batch([sql`DELETE FROM jobs`, sql`DELETE FROM erased_chatters`]);
      const clock = createManualClock(START_MS);
      const platform = { database, clock, random: systemRandom };
      const model = new Map<string, State>();
      /** Of each runner, by key: it goes on with a lease that others may have taken since. */
      const held = [new Map<string, Job>(), new Map<string, Job>()];
      let writes = 0;

      async function write(job: Job, ends: (statements: readonly Statement[]) => Promise<unknown>) {
        const state = model.get(job.key);
        const holds = state?.holder === job;
        const note = sql`INSERT INTO erased_chatters (user_id, erased_at) VALUES (${(writes += 1)}, 0)`;
        const outcome = await ends([note]).then(
          () => true,
          (error: unknown) => !(error instanceof JobLost),
        );
        expect(outcome).toBe(holds);
        const [noted] = await database.all(
          sql`SELECT 1 FROM erased_chatters WHERE user_id = ${writes}`,
        );
        expect(noted !== undefined).toBe(holds);
        return holds ? state : undefined;
      }

      async function takeSome({ runner: by, limit }: { runner: number; limit: number }) {
        const nowMs = clock.now();
        const due = [...model.values()]
          .filter(({ dueMs, leaseUntilMs }) => Math.max(dueMs, leaseUntilMs) <= nowMs)
          .map(({ dueMs }) => dueMs)
          .toSorted((a, b) => a - b);
        const jobs = await take(platform, KIND, limit);
        const times = jobs.map((job) => {
          const state = required(model.get(job.key));
          state.attempts += 1;
          state.holder = job;
          state.leaseUntilMs = nowMs + leaseMs;
          held[by]?.set(job.key, job);
          return state.dueMs;
        });
        // Those that are due longest.
        return [times.toSorted((a, b) => a - b), due.slice(0, limit)];
      }

      async function leave(job: Job, way: "keep" | "end" | "later" | "again") {
        const ways = {
          keep: (also: readonly Statement[]) => keep(platform, job, also),
          end: (also: readonly Statement[]) => end(platform, job, also),
          later: (also: readonly Statement[]) => later(platform, job, clock.now() + 60_000, also),
          again: (also: readonly Statement[]) => again(platform, job, FAULT, also),
        };
        const state = await write(job, ways[way]);
        if (state === undefined) return;
        if (way === "keep") state.leaseUntilMs = clock.now() + leaseMs;
        else [state.holder, state.leaseUntilMs] = [null, 0];
        if (way === "end") model.delete(job.key);
        if (way === "later") [state.attempts, state.dueMs] = [0, clock.now() + 60_000];
        // Half of the pause is random.
        if (way === "again") {
          const mostMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (job.attempts - 1));
          const [row] = await database.all(sql`SELECT due_at FROM jobs WHERE key = ${job.key}`);
          const pauseMs = Number(row?.due_at) - clock.now();
          state.dueMs = clock.now() + Math.min(mostMs, Math.max(mostMs / 2, pauseMs));
        }
      }

      for (const one of steps) {
        let [taken, due]: unknown[] = [];
        if (one.do === "pass") clock.pass(one.ms);
        else if (one.do === "take") [taken, due] = await takeSome(one);
        else if (one.do === "plan") {
          const dueMs = clock.now() + one.inMs;
          await database.run(plan(KIND, one.key, dueMs));
          model.set(one.key, { dueMs, attempts: 0, holder: null, leaseUntilMs: 0 });
        } else if (one.do === "hasten") {
          await database.run(hasten(KIND, one.key, clock.now()));
          const state = model.get(one.key);
          if (state?.holder === null) [state.dueMs, state.attempts] = [clock.now(), 0];
        } else {
          const job = held[one.runner]?.get(one.key);
          if (job !== undefined) await leave(job, one.do);
        }
        expect(taken).toEqual(due);
        const rows = await database.all(sql`
          SELECT key, due_at, attempts, coalesce(lease_until, 0) AS until FROM jobs ORDER BY key`);
        const expected = [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));
        expect(rows.map((row) => [row.key, row.due_at, row.attempts, row.until])).toEqual(
          expected.map(([name, { dueMs, attempts, leaseUntilMs }]) => [
            name,
            dueMs,
            attempts,
            leaseUntilMs,
          ]),
        );
      }
    }),
    { numRuns: host.runsOf(200) },
  );
});

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("A job was taken that nobody planned");
  return value;
}

describe("a job", () => {
  const clock = createManualClock(START_MS);
  const platform = { database, clock, random: systemRandom };
  const row = async () =>
    (await database.all(sql`SELECT due_at, attempts, error FROM jobs WHERE key = 'a'`))[0];

  async function takeOne(): Promise<Job> {
    clock.pass(longestDelayMs);
    return required((await take(platform, KIND, 1))[0]);
  }

  test("that is due longest is taken first", async () => {
    await database.batch([plan(KIND, "a", 2), plan(KIND, "b", 1)]);
    expect((await takeOne()).key).toBe("b");
  });

  test("waits as long as the other side asks, and forgets earlier faults as it goes on", async () => {
    await database.run(plan(KIND, "a", 0));
    await again(platform, await takeOne(), { ...FAULT, retryAfterMs: 2 * longestDelayMs });
    expect(await row()).toMatchObject({ due_at: clock.now() + 2 * longestDelayMs });
    // Work that is added does not shorten the pause.
    await database.run(wakeEach(KIND, sql`SELECT 'a' AS key, 0 AS due_at`));
    expect(await take(platform, KIND, 1)).toEqual([]);
    clock.pass(longestDelayMs);
    const second = await takeOne();
    expect(second.attempts).toBe(2);
    await keep(platform, second, [advanced(second)]);
    expect(await row()).toMatchObject({ attempts: 1, error: null });
  });
});
