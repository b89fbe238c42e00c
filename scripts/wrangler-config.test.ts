import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { configToDeploy } from "./wrangler-config.ts";

test("what is deployed from another folder finds the Worker", () => {
  expect(existsSync(configToDeploy().main)).toBe(true);
});
