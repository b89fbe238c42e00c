import { expect, test } from "vitest";
import { createTestClock } from "#service/testing/test-clock.ts";
import { createSessionSlots } from "./session-slots.ts";

test("a session's seventh concurrent request waits, without blocking other sessions", async () => {
  const slots = createSessionSlots(createTestClock(), 1);
  const leave = await Promise.all(Array.from({ length: 6 }, () => slots.enter("a")));
  let isIn = false;
  const seventh = slots.enter("a").then((end) => {
    isIn = true;
    return end;
  });
  await slots.enter("b");
  expect(isIn).toBe(false);
  leave[0]?.();
  await seventh;
  expect(isIn).toBe(true);
});

test("a request is rejected if it waits too long or if too many are waiting", async () => {
  const clock = createTestClock();
  const slots = createSessionSlots(clock, 1);
  for (let count = 0; count < 6; count++) await slots.enter("a");
  const waiting = Array.from({ length: 60 }, () => slots.enter("a"));
  const settled = Promise.allSettled(waiting);
  await expect(slots.enter("a")).rejects.toMatchObject({ code: "rate_limited" });
  clock.advance(5_000);
  expect((await settled).map(({ status }) => status)).toEqual(waiting.map(() => "rejected"));
});

test("an unreleased slot becomes free after a minute", async () => {
  const clock = createTestClock();
  const slots = createSessionSlots(clock, 1);
  for (let count = 0; count < 6; count++) await slots.enter("a");
  clock.advance(60_001);
  expect(await slots.enter("a")).toBeTypeOf("function");
});
