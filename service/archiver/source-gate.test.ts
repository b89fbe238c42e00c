import { expect, it } from "vitest";
import { createHurriedClock } from "#service/testing/hurried-clock.ts";
import { TryLater } from "#service/storage/run-end.ts";
import { createSourceGate } from "./source-gate.ts";

const random = { bytes: (length: number) => new Uint8Array(length).fill(255) };
const { signal } = new AbortController();

it("nothing is asked before the time that the source named", async () => {
  const clock = createHurriedClock();
  const gate = createSourceGate(clock, random);
  const ticket = await gate.enter(signal);
  const failedMs = clock.monotonic();
  gate.failed(ticket, "busy", 20_000);
  await gate.enter(signal);
  expect(clock.monotonic() - failedMs).toBeGreaterThanOrEqual(20_000);
});

it("a wait longer than a run should sit out ends the run, and says how long", async () => {
  const gate = createSourceGate(createHurriedClock(), random);
  const ticket = await gate.enter(signal);
  expect(() => gate.failed(ticket, "busy", 90_000)).toThrow(
    expect.objectContaining({ retryAfterMs: 90_000 }),
  );
});

it("after a failure one request probes while the others wait for its success", async () => {
  const gate = createSourceGate(createHurriedClock(), random);
  gate.failed(await gate.enter(signal), "down", null);
  const probe = await gate.enter(signal);
  let others = 0;
  const waiting = [1, 2, 3].map(async () => {
    await gate.enter(signal);
    others += 1;
  });
  await new Promise(setImmediate);
  expect(others).toBe(0);
  gate.succeeded(probe);
  await Promise.all(waiting);
  expect(others).toBe(3);
});

it("six requests that fail together are one failure; seven rounds end the run", async () => {
  const gate = createSourceGate(createHurriedClock(), random);
  const together = await Promise.all(Array.from({ length: 6 }, () => gate.enter(signal)));
  for (const ticket of together) gate.failed(ticket, "down", null);
  for (let round = 2; round <= 6; round += 1) gate.failed(await gate.enter(signal), "down", null);
  const last = await gate.enter(signal);
  expect(() => gate.failed(last, "down", null)).toThrow(TryLater);
});
