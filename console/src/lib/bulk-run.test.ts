import { expect, test } from "vitest";
import { runBulk, startBulkRun } from "./bulk-run.ts";
import { bulkState, stopBulkRun } from "./bulk-state.ts";

const ids = ["a", "b", "c", "d", "e"];

test("every item is processed once, in batches, and only rejected items remain", async () => {
  const batches: string[][] = [];
  const done: number[] = [];
  async function work(batch: readonly string[]) {
    batches.push([...batch]);
    return new Map(batch.filter((id) => id === "b").map((id) => [id, "It is in use."]));
  }
  const onDone = (count: number) => done.push(count);
  const outcome = await runBulk({ ids, batchSize: 2, atOnce: 1, work }, onDone, () => false);
  expect(batches).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(done).toEqual([2, 2, 1]);
  expect(outcome.succeeded).toBe(4);
  expect([...outcome.left]).toEqual(["b"]);
});

const ignore = () => undefined;

test("batches run in parallel, but never more than allowed", async () => {
  let running = 0;
  let most = 0;
  async function work() {
    most = Math.max(most, (running += 1));
    await Promise.resolve();
    running -= 1;
    return new Map();
  }
  const outcome = await runBulk({ ids, batchSize: 1, atOnce: 3, work }, ignore, () => false);
  expect([outcome.succeeded, most]).toEqual([5, 3]);
});

test("after a stop, the started batch is finished and the other items remain", async () => {
  let worked = 0;
  async function work(batch: readonly string[]) {
    worked += batch.length;
    return new Map();
  }
  const outcome = await runBulk({ ids, batchSize: 2, atOnce: 1, work }, ignore, () => worked >= 2);
  expect([outcome.succeeded, outcome.failures.size]).toEqual([2, 0]);
  expect([...outcome.left]).toEqual(["c", "d", "e"]);
});

test("a run publishes its progress and failures, and can be stopped", async () => {
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let batches = 0;
  const run = startBulkRun({
    verb: "Deleting files",
    ids,
    batchSize: 2,
    atOnce: 1,
    async work(batch) {
      await answers[batches++]?.promise;
      return new Map(batch.filter((id) => id === "b").map((id) => [id, "It is in use."]));
    },
    reportTitle: (count) => `${count} failed`,
    nameOf: (id) => `file ${id}`,
  });
  expect(bulkState.state.progress).toMatchObject({ verb: "Deleting files", done: 0, total: 5 });
  answers[0]?.resolve();
  await expect.poll(() => bulkState.state.progress?.done).toBe(2);
  stopBulkRun();
  answers[1]?.resolve();
  const { succeeded, left } = await run;
  expect([succeeded, [...left], batches]).toEqual([3, ["b", "e"], 2]);
  expect(bulkState.state).toEqual({
    progress: null,
    report: { title: "1 failed", failures: [{ name: "file b", reason: "It is in use." }] },
  });
});
