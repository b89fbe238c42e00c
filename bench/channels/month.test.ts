import { expect, it } from "vitest";
import { simulateMonth } from "./month.ts";

const month = { seed: 1, channels: 40, days: 2 };

it("archives each wanted VOD once, before the source deletes it and within the budget", async () => {
  const { numbers, problems } = await simulateMonth({ ...month, bandwidth: 5 });
  expect(problems).toEqual([]);
  expect(numbers).toMatchObject({ lost: 0 });
  expect(numbers.stored).toBeGreaterThan(20);
});

it("loses with too little bandwidth what the queue's order puts last, and names it", async () => {
  const { numbers, problems } = await simulateMonth({ ...month, bandwidth: 0.05 });
  expect(problems).toEqual([]);
  expect(numbers.lost).toBeGreaterThan(0);
});
