import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { createJobHandlers } from "#service/job-handlers.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { optionsOf } from "./job-kinds.ts";
import { createJobRunner } from "./job-runner.ts";
import { plan } from "./jobs.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const { context, jobNeeds } = world;
const { database } = context.platform;
const { places } = optionsOf("removal");

it("runs as many jobs at a time as there are places, and gives back what a stop interrupts", async () => {
  let running = 0;
  const runner = createJobRunner(context, {
    ...createJobHandlers(context, jobNeeds),
    removal: {
      async run(_job, signal) {
        running += 1;
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      },
    },
  });
  const keys = Array.from({ length: 2 * places }, (_, index) => `vods/${index}.ts`);
  await database.batch(keys.map((key) => plan("removal", key, 0)));
  for (let round = 0; round < 2; round += 1) await runner.round();
  expect(running).toBe(places);
  await runner.stop();
  expect(
    await database.all(sql`SELECT DISTINCT attempts, lease_until, error FROM jobs
      WHERE kind = 'removal'`),
  ).toEqual([{ attempts: 0, lease_until: null, error: null }]);
});
