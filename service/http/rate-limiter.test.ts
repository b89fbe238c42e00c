import { expect, test } from "vitest";
import { createTestClock } from "#service/testing/test-clock.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { Failure } from "#service/failure.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";

const LIMIT = { name: "test", burst: 3, perMinute: 60 };

/** How many of `tries` requests at once fit. */
function fitting(limiter: RateLimiter, who: string, tries: number): number {
  let taken = 0;
  try {
    for (; taken < tries; taken++) limiter.take(LIMIT, who);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "rate_limited") throw error;
  }
  return taken;
}

test("a burst fits, then one request a second, for each caller apart", () => {
  const clock = createTestClock();
  const limiter = createRateLimiter(clock, 1);
  expect(fitting(limiter, "a", 10)).toBe(3);
  expect(fitting(limiter, "b", 10)).toBe(3);
  clock.advance(2_000);
  expect(fitting(limiter, "a", 10)).toBe(2);
  clock.advance(3_600_000);
  expect(fitting(limiter, "a", 10)).toBe(3);
});

test("the factor multiplies every limit, and a clock set back frees nobody", () => {
  const clock = createTestClock();
  const limiter = createRateLimiter(clock, 10);
  expect(fitting(limiter, "a", 100)).toBe(30);
  clock.jump(-3_600_000);
  expect(fitting(limiter, "a", 100)).toBeLessThanOrEqual(1);
});

test("too many sign-ins from one address are put off, with the time to wait", async () => {
  const vodkeep = await startTestService({ settings: { RATE_LIMIT_FACTOR: "1" } });
  const answers = [];
  for (let count = 0; count < 25; count++)
    answers.push(await vodkeep.visitor().call("GET", "/admin/auth/login"));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(20);
  const refused = answers.at(-1);
  expect(refused?.error?.code).toBe("rate_limited");
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  await vodkeep.close();
});

async function ask(client: TestClient) {
  return (await client.call("GET", "/admin/auth/validate")).status;
}

test("two administrators behind one address do not use up each other's requests", async () => {
  const vodkeep = await startTestService({ settings: { RATE_LIMIT_FACTOR: "0.1" } });
  const one = await vodkeep.signIn(ADMIN);
  vodkeep.clock.advance(300_000);
  const other = await vodkeep.signIn(ADMIN);
  let status = await ask(one);
  for (let count = 0; count < 2_000 && status === 200; count++) status = await ask(one);
  expect(status).toBe(429);
  expect(await ask(other)).toBe(200);
  await vodkeep.close();
});
