import { afterAll, beforeAll, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { cancelUpload } from "#service/uploads/upload-actions.ts";
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

it("a multipart upload begun for an upload that was cancelled meanwhile goes at once", async () => {
  const { objects } = world.context.platform;
  const { multiparts: before } = await world.storeContents();
  const vod = await world.twitch.control.addVod({ segmentCount: 2, segmentSizeBytes: 1_000 });
  const uploadId = await world.addUpload(vod.id);
  const archiver = world.newArchiver((platform) => ({
    ...platform,
    objects: {
      ...objects,
      async createMultipart(...wanted) {
        const handle = await objects.createMultipart(...wanted);
        await cancelUpload(world.context, { uploadId, actorId: null, atMs: 0 });
        return handle;
      },
    },
  }));
  await archiver.consume({ uploadId });
  expect((await world.upload(uploadId)).status).toBe("cancelled");
  expect((await world.storeContents()).multiparts).toBe(before);
});
