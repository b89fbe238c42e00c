import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { configToDeploy, readWranglerConfig } from "./wrangler-config.ts";

test("a deployment's queue runs as many archives at a time as the Worker believes", () => {
  const { vars } = readWranglerConfig();
  expect(configToDeploy(null).queues.consumers[0]).toMatchObject({
    max_concurrency: Number(vars.ARCHIVE_CONCURRENCY),
  });
  const { main, queues } = configToDeploy(7);
  expect(existsSync(main)).toBe(true);
  // The queue of given-up wake-ups has no number.
  expect(queues.consumers.map((consumer) => consumer.max_concurrency)).toEqual([7, undefined]);
});
