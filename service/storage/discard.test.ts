import { afterAll, expect, it } from "vitest";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { cancelUpload } from "./upload-actions.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

it("removes a multipart upload created for an upload that was cancelled meanwhile", async () => {
  const { objects } = world.context.platform;
  const { multiparts: before } = await world.storeContents();
  const { uploadId } = await world.addVod({ segmentCount: 2, segmentSizeBytes: 1_000 });
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
  // A run that does not end soon after its abort is abandoned, and may still be running.
  await expect.poll(async () => (await world.storeContents()).multiparts).toBe(before);
});
