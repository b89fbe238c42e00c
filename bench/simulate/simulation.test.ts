import { expect, it } from "vitest";
import { simulate } from "./simulation.ts";

it("a seed replays exactly", async () => {
  const first = await simulate(2);
  expect(first.steps).toBeGreaterThan(500);
  expect(await simulate(2)).toEqual(first);
});
