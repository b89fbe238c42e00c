import { expect, test } from "vitest";
import { createServerStatus } from "./server-status.ts";

test("a single fault between responses does not change the status", () => {
  const server = createServerStatus();
  server.noteFault("Failing");
  server.noteAnswer();
  server.noteFault("Offline");
  expect(server.store.state).toBe("Online");
});

test("two faults in a row change the status until the next response", () => {
  const server = createServerStatus();
  server.noteFault("Offline");
  server.noteFault("Offline");
  expect(server.store.state).toBe("Offline");
  server.noteFault("Failing");
  expect(server.store.state).toBe("Failing");
  server.noteAnswer();
  expect(server.store.state).toBe("Online");
});
