import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import { browseFiles, deleteFile } from "#contract/files.ts";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { systemMetrics } from "#contract/system.ts";
import { cancelUpload, getUpload } from "#contract/uploads.ts";
import { banUser } from "#contract/users.ts";
import { unpackBackup } from "#hosts/node/unpack-backup.ts";
import { SettingsError } from "#service/settings.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost } from "./rig-host.ts";
import { mountSmallDisk } from "./small-disk.ts";

const MIB = 1024 ** 2;
const RESERVE_GB = 0.1;
const DISK_BYTES = 640 * MIB;

/** Longer than two rounds of the service's probes, on a busy machine. */
const SOON = { timeout: 180_000, interval: 250 };

/** An account of the Twitch stand-in without permissions. */
const BANNED = "1005";

test("on a full disk, calls that free space or revoke rights work; an archive waits for space", async ({
  skip,
  onTestFinished,
}) => {
  const disk = await mountSmallDisk(DISK_BYTES);
  if (disk === null) {
    skip("A disk can be mounted by root only.");
    return;
  }
  const rig = await openRigHost(killableNodeHost(disk.folder), {
    STORAGE_RESERVE_GB: String(RESERVE_GB),
  });
  onTestFinished(async () => {
    await rig.close();
    await disk.remove();
  });
  await rig.startHost();
  const admin = await rig.signIn();
  const other = await rig.signIn();
  await rig.signIn(BANNED);
  const archive = async (sizeBytes: number) =>
    (await rig.archive(admin, { segmentCount: sizeBytes / MIB, segmentSizeBytes: MIB })).uploadId;
  const find = (id: string) => admin.expect(getUpload, addressOf(getUpload, { id }));
  const ready = () => fetch(`${rig.publicUrl}/readyz`);

  const small = await archive(2 * MIB);
  await expect.poll(async () => (await find(small)).status, SOON).toBe("completed");

  disk.fill(1.9 * RESERVE_GB * 1024 ** 3);
  await expect
    .poll(async () => (await admin.expect(browserNotifications)).notifications, SOON)
    .toContainEqual(expect.objectContaining({ type: "disk_space_low" }));

  const large = await archive(160 * MIB);
  await expect
    .poll(async () => find(large), SOON)
    .toMatchObject({
      phase: "waiting",
      errorMessage: expect.stringMatching(/^The disk has no room for/),
    });
  disk.fill(1.1 * RESERVE_GB * 1024 ** 3);
  const waiting = await archive(2 * MIB);
  await expect
    .poll(async () => find(waiting), SOON)
    .toMatchObject({ errorMessage: expect.stringMatching(/^The disk is nearly full/) });

  disk.fill(0);
  await expect.poll(async () => (await ready()).text(), SOON).toContain("The disk is full");
  expect((await ready()).status).toBe(503);
  await expect
    .poll(async () => (await admin.expect(systemMetrics)).health, SOON)
    .toMatchObject({
      status: "unhealthy",
      reasons: expect.arrayContaining([
        { part: "disk", status: "unhealthy", text: expect.stringContaining("disk") },
      ]),
    });
  await other.expect(auth.logout);
  await admin.expect(banUser, addressOf(banUser, { id: BANNED }), { body: {} });
  await admin.expect(cancelUpload, addressOf(cancelUpload, { id: waiting }));
  const { files } = await admin.expect(browseFiles);
  const key = files.find(({ status }) => status === "complete")?.key ?? "";
  await admin.expect(deleteFile, addressOf(deleteFile, { key }));
  expect(await find(large)).toMatchObject({ status: "processing", retryCount: 0 });

  disk.clear();
  await expect.poll(async () => (await find(large)).status, SOON).toBe("completed");
  await expect.poll(async () => (await ready()).status, SOON).toBe(200);
});

test("a backup that the disk has no room for is refused in a sentence", async ({
  skip,
  onTestFinished,
}) => {
  const disk = await mountSmallDisk(MIB);
  if (disk === null) {
    skip("A disk can be mounted by root only.");
    return;
  }
  onTestFinished(() => disk.remove());
  await mkdir(disk.folder);
  const packed = gzipSync(new Uint8Array(2 * MIB));
  const facts = { isCompressed: true, sizeBytes: packed.byteLength, sha256: null };
  async function* body() {
    yield packed;
  }
  await expect(unpackBackup(body(), join(disk.folder, "vodkeep.db"), facts)).rejects.toThrow(
    new SettingsError(`The disk of ${disk.folder} has no room for the backup.`),
  );
});
