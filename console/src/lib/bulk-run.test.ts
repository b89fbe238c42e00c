import { expect, test } from "vitest";
import { reportOf, runBulk } from "./bulk-run.ts";

const ids = ["a", "b", "c", "d", "e"];

test("every item is worked on once, in batches, and only the refused stay", async () => {
  const batches: string[][] = [];
  const done: number[] = [];
  const outcome = await runBulk(
    {
      ids,
      batchSize: 2,
      atOnce: 1,
      work: async (batch) => {
        batches.push([...batch]);
        return new Map(batch.filter((id) => id === "b").map((id) => [id, "It is in use."]));
      },
    },
    (count) => done.push(count),
    () => false,
  );
  expect(batches).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(done).toEqual([2, 2, 1]);
  expect(outcome.succeeded).toBe(4);
  expect([...outcome.left]).toEqual(["b"]);
  expect(reportOf(outcome, "1 could not", (id) => `file ${id}`).failures).toEqual([
    { name: "file b", reason: "It is in use." },
  ]);
});

test("stopped in between, what has begun is finished and the rest stays to be tried again", async () => {
  let worked = 0;
  const outcome = await runBulk(
    {
      ids,
      batchSize: 2,
      atOnce: 1,
      work: async (batch) => {
        worked += batch.length;
        return new Map();
      },
    },
    () => undefined,
    () => worked >= 2,
  );
  expect(outcome.succeeded).toBe(2);
  expect(outcome.failures.size).toBe(0);
  expect([...outcome.left]).toEqual(["c", "d", "e"]);
});
