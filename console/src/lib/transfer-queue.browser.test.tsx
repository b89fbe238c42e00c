import { createStore } from "@tanstack/react-store";
import { expect, test } from "vitest";
import { createTransferQueue } from "./transfer-queue.ts";

const file = (key: string) => ({ key, filename: key, sizeBytes: 10 });

function open(mostAtOnce: number, waitsInPlace = true) {
  const started: string[] = [];
  const summary = createStore({ count: 0, percent: 0, isRunning: false });
  const queue = createTransferQueue(
    () => mostAtOnce,
    summary,
    ({ key }) => started.push(key),
    waitsInPlace,
  );
  return { ...queue, summary, started };
}

/** Whether the browser asks before it closes the page. */
function asks(): boolean {
  return !dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

test.each([
  [true, ["a", "b"]],
  [false, ["a", "b", "c"]],
])("files begin in order as places become free; one that waits keeps its: %j", (keeps, begun) => {
  const { add, change, remove, started } = open(2, keeps);
  for (const key of ["a", "b", "c", "d"]) add(file(key));
  expect(started).toEqual(["a", "b"]);
  change("a", { phase: "waiting" });
  expect(started).toEqual(begun);
  change("b", { phase: "failed" });
  change("a", { phase: "paused" });
  expect(started).toEqual(["a", "b", "c", "d"]);
  for (const key of started) remove(key);
});

test("a file that is added again takes the place of the one before, and closing asks while any runs", () => {
  const { add, change, store, summary } = open(2);
  expect(asks()).toBe(false);
  add(file("a"));
  change("a", { doneBytes: 5 });
  expect([asks(), summary.state]).toEqual([true, { count: 1, percent: 50, isRunning: true }]);
  change("a", { phase: "paused" });
  expect([asks(), summary.state.isRunning]).toEqual([false, false]);
  add(file("a"));
  expect(store.state).toMatchObject([{ key: "a", doneBytes: 0, phase: "running" }]);
  change("a", { phase: "done" });
  expect([asks(), summary.state.count]).toEqual([false, 0]);
});
