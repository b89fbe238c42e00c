import { expect, it } from "vitest";
import { createHurriedClock } from "#service/testing/test-clock.ts";
import type { Clock } from "#service/ports/clock.ts";
import { createRequestBudget } from "./request-budget.ts";

const MINUTE_MS = 60_000;

/** Time passes only in sleeps. */
function createStillClock(): Clock & { pass(ms: number): void } {
  let nowMs = 0;
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: async (ms) => void (nowMs += ms),
    pass: (ms) => void (nowMs += ms),
  };
}

function mostInAMinute(atMs: readonly number[]): number {
  return Math.max(
    ...atMs.map((fromMs) => atMs.filter((ms) => ms >= fromMs && ms < fromMs + MINUTE_MS).length),
  );
}

const answer = (limit: number, remaining: number) =>
  new Headers({ "ratelimit-limit": String(limit), "ratelimit-remaining": String(remaining) });

it("sends at most 300 background requests in any minute, also by processes that start again and after pauses", async () => {
  const clock = createStillClock();
  const sentMs: number[] = [];
  let budget = createRequestBudget(clock);
  for (let request = 0; request < 2_000; request += 1) {
    if (request % 130 === 129) budget = createRequestBudget(clock);
    if (request % 333 === 332) clock.pass(10_000);
    await budget.background.enter();
    sentMs.push(clock.now());
  }
  expect(mostInAMinute(sentMs)).toBeLessThanOrEqual(300);
  expect(2_000 / (clock.now() / MINUTE_MS)).toBeGreaterThan(240);
});

it("lets people pass at once, whose requests the background makes up for", async () => {
  const clock = createStillClock();
  const budget = createRequestBudget(clock);
  for (let request = 0; request < 1_000; request += 1) await budget.people.enter();
  expect(clock.now()).toBe(0);
  await budget.background.enter();
  expect(clock.now()).toBeGreaterThan(MINUTE_MS);
  expect(clock.now()).toBeLessThan(2 * MINUTE_MS);
});

it.each([
  ["many points left", answer(800, 500), 0],
  ["few points left", answer(800, 100), 30_000],
  ["none left", answer(800, 0), 37_500],
  ["few of many", answer(8_000, 4_000), 7_500],
  ["no limit stated", new Headers(), 0],
  ["an absurd limit", answer(0, 0), 0],
])("waits for Twitch to refill after an answer with %s", async (_what, headers, waitMs) => {
  const clock = createStillClock();
  const budget = createRequestBudget(clock);
  clock.pass(MINUTE_MS);
  budget.people.hear(headers);
  await budget.people.enter();
  expect(clock.now()).toBe(MINUTE_MS);
  await budget.background.enter();
  expect(clock.now()).toBe(MINUTE_MS + waitMs);
});

it("stops waiting when it is told to", async () => {
  const budget = createRequestBudget(createHurriedClock());
  const stopped = AbortSignal.abort(new Error("The service stops"));
  await expect(budget.background.enter(stopped)).rejects.toThrow("The service stops");
});
