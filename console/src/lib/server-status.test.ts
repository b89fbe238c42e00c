import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createServerStatus } from "./server-status.ts";

/** What a ping finds: the HTTP status, or null where nothing answers. */
let found: number | null = 200;
let pings = 0;

function open() {
  return createServerStatus(async () => {
    pings += 1;
    return found;
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  found = 200;
  pings = 0;
});
afterEach(() => vi.useRealTimers());

test("a single fault between responses does not change the status", () => {
  const server = open();
  server.noteFault("Failing");
  server.noteAnswer();
  server.noteFault("Offline");
  expect(server.store.state).toBe("Online");
});

test("two faults in a row change the status until the next response", () => {
  const server = open();
  server.noteFault("Offline");
  server.noteFault("Offline");
  expect(server.store.state).toBe("Offline");
  server.noteFault("Failing");
  expect(server.store.state).toBe("Failing");
  server.noteAnswer();
  expect(server.store.state).toBe("Online");
});

test.each([
  [null, "Offline"],
  [502, "Failing"],
] as const)("an outage and its end show within 5 s, pings finding %s", async (away, shown) => {
  const server = open();
  server.noteAnswer();
  found = away;
  await pass(server, 5);
  expect(server.store.state).toBe(shown);
  await pass(server, 60);
  expect(server.store.state).toBe(shown);
  found = 200;
  await pass(server, 5);
  expect(server.store.state).toBe("Online");
});

test("the server is asked only while no other request is answered", async () => {
  const server = open();
  for (let turn = 0; turn < 10; turn += 1) {
    server.noteAnswer();
    await pass(server, 2);
  }
  expect(pings).toBe(0);
  await pass(server, 60);
  expect(pings).toBe(20);
});

test("a running process does not end the errors of its reads", async () => {
  const server = open();
  for (const _ of [1, 2, 3]) {
    server.noteFault("Failing");
    await pass(server, 10);
  }
  expect(server.store.state).toBe("Failing");
});

async function pass(server: ReturnType<typeof open>, sec: number): Promise<void> {
  for (let passed = 0; passed < sec; passed += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    await server.check();
  }
}
