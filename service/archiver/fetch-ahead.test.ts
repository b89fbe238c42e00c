import { expect, test } from "vitest";
import { createFetchAhead } from "./fetch-ahead.ts";
import type { UnitBody } from "./unit-body.ts";

const UNIT: UnitBody = { bytes: new Uint8Array(10), buffer: new Uint8Array(10), url: "" };

/** Fetches every unit at once, except the second, which is fetched when `arrive` is called. */
function fetchWithSlowUnit(budgetBytes: number) {
  const slow = Promise.withResolvers<UnitBody>();
  const started: number[] = [];
  const ahead = createFetchAhead(
    {
      from: 0,
      to: 100,
      isEmpty: () => false,
      expectedBytes: () => UNIT.bytes.byteLength,
      fetch(index) {
        started.push(index);
        return index === 1 ? slow.promise : Promise.resolve(UNIT);
      },
      giveBack() {},
      connections: 3,
      budgetBytes: () => budgetBytes,
    },
    new AbortController().signal,
  );
  return { ahead, started, arrive: () => slow.resolve(UNIT) };
}

test.each([
  { limit: "two units per connection", budgetBytes: 1_000, fetched: [0, 1, 2, 3, 4, 5, 6] },
  { limit: "the memory limit", budgetBytes: 30, fetched: [0, 1, 2, 3] },
])("fetching ahead of a slow unit is limited by $limit", async ({ budgetBytes, fetched }) => {
  const { ahead, started, arrive } = fetchWithSlowUnit(budgetBytes);
  expect((await ahead.next()).index).toBe(0);
  ahead.release();
  const second = ahead.next();
  await new Promise(setImmediate);
  expect(started).toEqual(fetched);
  arrive();
  expect((await second).index).toBe(1);
  await ahead.close();
});

test("a unit larger than the memory limit is fetched once the previous one is released", async () => {
  const { ahead, started, arrive } = fetchWithSlowUnit(1);
  arrive();
  await ahead.next();
  expect(started).toEqual([0]);
  ahead.release();
  await ahead.next();
  expect(started).toEqual([0, 1]);
  await ahead.close();
});
