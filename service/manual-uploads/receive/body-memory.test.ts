import { expect, test } from "vitest";
import { createManualClock } from "#hosts/node/testing/manual-clock.ts";
import { createBodyMemory } from "./body-memory.ts";

const never = new AbortController().signal;

function openMemory(limitBytes: number) {
  const clock = createManualClock(0);
  return { clock, memory: createBodyMemory(clock, limitBytes) };
}

/** Whether a promise has settled after all pending work has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test("memory is allocated up to the limit, in the order of the requests", async () => {
  const { clock, memory } = openMemory(100);
  const [first, second, third] = [memory.open("a"), memory.open("b"), memory.open("c")];
  const held = await first.take(60, never);
  const large = second.take(50, never);
  const small = third.take(10, never);
  clock.pass(1_000);
  expect(await isSettled(Promise.race([large, small]))).toBe(false);
  expect(memory.isShort()).toBe(true);
  first.give(held ?? new Uint8Array());
  clock.pass(1_000);
  expect((await large)?.byteLength).toBe(50);
  expect((await small)?.byteLength).toBe(10);
  expect(memory.isShort()).toBe(false);
});

test("a request waits at most ten seconds for memory", async () => {
  const { clock, memory } = openMemory(100);
  const holder = memory.open("a");
  await holder.take(100, never);
  const waiting = memory.open("a").take(1, never);
  clock.pass(9_000);
  expect(await isSettled(waiting)).toBe(false);
  clock.pass(2_000);
  expect(await waiting).toBeNull();
  expect(memory.isShort()).toBe(false);
});

test("a user's requests leave a third of the memory to other users", async () => {
  const { clock, memory } = openMemory(100);
  const busy = memory.open("busy");
  const held = await busy.take(60, never);
  const more = busy.take(10, never);
  const other = await memory.open("other").take(40, never);
  expect(other?.byteLength).toBe(40);
  clock.pass(1_000);
  expect(await isSettled(more)).toBe(false);
  busy.give(held ?? new Uint8Array());
  clock.pass(1_000);
  expect((await more)?.byteLength).toBe(10);
});

test("the memory of a request is released when it closes or dies", async () => {
  const { clock, memory } = openMemory(100);
  const closing = memory.open("a");
  await closing.take(100, never);
  const after = memory.open("a");
  const next = after.take(100, never);
  closing.close();
  clock.pass(100);
  expect(await next).not.toBeNull();
  // The runtime ended this request without running its cleanup.
  const last = memory.open("a");
  clock.pass(55_000);
  const waiting = last.take(100, never);
  clock.pass(6_000);
  expect(await waiting).not.toBeNull();
});
