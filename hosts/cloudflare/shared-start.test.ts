import { expect, it } from "vitest";
import { createTestClock } from "#service/testing/test-clock.ts";
import { createSharedStart } from "./shared-start.ts";

const WITHIN_MS = 25_000;

it("concurrent and later callers share one start", async () => {
  const share = createSharedStart<string>(createTestClock(), WITHIN_MS);
  const { promise, resolve } = Promise.withResolvers<string>();
  let starts = 0;
  const start = () => {
    starts += 1;
    return promise;
  };
  const early = [share(start), share(start)];
  resolve("service");
  expect([...(await Promise.all(early)), await share(start)]).toEqual(Array(3).fill("service"));
  expect(starts).toBe(1);
});

it("a failed start is retried by the next request", async () => {
  const share = createSharedStart<string>(createTestClock(), WITHIN_MS);
  const refused = share(() => Promise.reject(new Error("D1 is not available")));
  await expect(refused).rejects.toThrow("D1 is not available");
  expect(await share(async () => "service")).toBe("service");
});

it("a start that never finishes is abandoned by callers after the time limit", async () => {
  const clock = createTestClock();
  const share = createSharedStart<string>(clock, WITHIN_MS);
  const cutOff = share(() => new Promise(() => undefined));
  expect(share(async () => "too early")).toBe(cutOff);
  clock.advance(WITHIN_MS);
  expect(await share(async () => "service")).toBe("service");
  clock.advance(WITHIN_MS);
  expect(await share(async () => "another")).toBe("service");
});
