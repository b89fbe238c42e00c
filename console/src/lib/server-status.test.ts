import { expect, test } from "vitest";
import { createServerStatus } from "./server-status.ts";

test("one fault between answers says nothing about the server", () => {
  const server = createServerStatus();
  server.noteFault("Failing");
  server.noteAnswer();
  server.noteFault("Offline");
  expect(server.store.state).toBe("Online");
});

test("two faults in a row do, until the next answer", () => {
  const server = createServerStatus();
  server.noteFault("Offline");
  server.noteFault("Offline");
  expect(server.store.state).toBe("Offline");
  server.noteFault("Failing");
  expect(server.store.state).toBe("Failing");
  server.noteAnswer();
  expect(server.store.state).toBe("Online");
});
