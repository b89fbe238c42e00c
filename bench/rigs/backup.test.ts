import { expect, test, vi } from "vitest";
import { getUpload } from "#contract/uploads.ts";
import { runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { archiveKeys, sidecarKeys } from "#service/storage/object-keys.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost } from "./rig-host.ts";
import { untilCompleted } from "./until-completed.ts";

test("a backup taken during an archive restores every object and lets the archive complete", async () => {
  const folder = await makeTemporaryFolder();
  const original = killableNodeHost(`${folder.path}/data`);
  const restored = killableNodeHost(`${folder.path}/backup`);
  const rig = await openRigHost(original);
  const host = await rig.startHost();
  const client = await rig.signIn();
  const finished = await rig.archive(client, { segmentCount: 3, segmentSizeBytes: 1_000_000 });
  await untilCompleted(client, finished.uploadId);
  const running = await rig.archive(client, {
    segmentCount: 40,
    segmentSizeBytes: 1_000_000,
    paceBytesPerSecond: 6_000_000,
  });
  const address = `/admin/uploads/${running.uploadId}`;
  await vi.waitFor(
    async () => expect((await client.expect(getUpload, address)).processedSize).toBeGreaterThan(0),
    180_000,
  );

  // Twice: the second run copies into an existing folder.
  for (let turn = 0; turn < 2; turn += 1)
    expect(
      await runVodkeep(["backup", "--to", `${folder.path}/backup`], {
        DATA_DIR: `${folder.path}/data`,
      }),
    ).toMatchObject({ code: 0 });
  await host.kill();

  const restoredHost = await rig.startHost(restored);
  await untilCompleted(await rig.signIn(), running.uploadId);
  await restoredHost.stop();
  const expected = await Promise.all(
    [finished, running].map(async ({ uploadId, vodId, ownerId }) => {
      const key = archiveKeys({ uploadId, vodId, ownerId }, "ts").object;
      const source = await rig.control.sourceDigest(vodId);
      return { ...source, uploadId, keys: [key], sidecars: sidecarKeys(key) };
    }),
  );
  expect(await restored.check(expected)).toEqual([]);
  await rig.close();
  await folder.remove();
});
