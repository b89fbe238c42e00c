import { afterAll, beforeAll, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { abortUnrecordedMultiparts } from "./leftovers.ts";

let world: ArchiveWorld;
beforeAll(async () => {
  world = await openArchiveWorld();
});
afterAll(() => world.close());

it("multipart uploads that a dead process never put on record go, and nobody else's do", async () => {
  const { platform } = world.context;
  for (const key of ["vods/1/2/3.ts", "manual/1/2/3.mp4", "backups/of-somebody-else.tar"])
    await platform.objects.createMultipart(objectKeySchema.parse(key), {
      contentType: "video/mp4",
      metadata: {},
    });
  const startedAt = new Date(platform.clock.now() + 1_000);
  const later = { ...platform, runtime: { ...platform.runtime, startedAt } };
  await abortUnrecordedMultiparts({ ...world.context, platform: later });
  const left = (await platform.objects.listMultiparts()) ?? [];
  expect(left.map(({ key }) => key)).toEqual(["backups/of-somebody-else.tar"]);
});
