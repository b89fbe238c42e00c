import { setTimeout as pause } from "node:timers/promises";
import * as auth from "#contract/auth.ts";
import { browseFiles, deleteFile } from "#contract/files.ts";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { systemMetrics } from "#contract/system.ts";
import { cancelUpload, getUpload } from "#contract/uploads.ts";
import { banUser } from "#contract/users.ts";
import { addressOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import type { AbuseOptions, AbuseResult } from "./abuse-scenario.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost, type RigHost } from "./rig-host.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const RESERVE_GB = 0.1;
const RESERVE_BYTES = RESERVE_GB * GIB;
const DISK_BYTES = 640 * MIB;

/** Longer than two rounds of the service's probes, on a busy machine. */
const PATIENCE_MS = 90_000;

/** An account of the Twitch stand-in without permissions. */
const BANNED = "1005";

/**
 * Fills a disk under a running archive. The operator must be notified before any work has to wait.
 * On the full disk, calls that free space or revoke rights must still work. Once there is space,
 * the archive must resume by itself.
 */
export async function fullDisk({ report }: AbuseOptions): Promise<AbuseResult> {
  const disk = await mountSmallDisk(DISK_BYTES);
  if (disk === null) return { summary: "Skipped: a disk can be mounted by root only.", faults: [] };
  const rig = await openRigHost(killableNodeHost(disk.folder), {
    STORAGE_RESERVE_GB: String(RESERVE_GB),
  });
  await rig.startHost();
  try {
    const faults = await fillAndEmpty(rig, disk, report);
    return { summary: "A disk was filled and emptied under a running archive.", faults };
  } finally {
    await rig.close();
    await disk.remove();
  }
}

async function fillAndEmpty(
  rig: RigHost,
  disk: SmallDisk,
  report: (line: string) => void,
): Promise<readonly string[]> {
  const faults: string[] = [];
  async function expectSoon(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const untilMs = performance.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (performance.now() > untilMs) {
        faults.push(`${what}: not within ${PATIENCE_MS / 1_000} s`);
        return;
      }
      await pause(250);
    }
    report(what);
  }
  async function expectDone(what: string, response: Promise<Response>): Promise<void> {
    const { status, body } = await response;
    await body?.cancel();
    if (status === 200) report(what);
    else faults.push(`${what}: ${status}`);
  }
  const admin = await rig.signIn();
  const other = await rig.signIn();
  await rig.signIn(BANNED);
  const small = await archive(rig, admin, 2 * MIB);
  await expectSoon("A small archive is complete", async () => {
    return (await find(admin, small)).status === "completed";
  });

  disk.fill(1.9 * RESERVE_BYTES);
  await expectSoon("Low space is announced while archives still run", async () => {
    const { notifications } = await admin.expect(browserNotifications);
    return notifications.some(({ type }) => type === "disk_space_low");
  });

  const large = await archive(rig, admin, 160 * MIB);
  await expectSoon("The archive pauses and says why", async () => {
    const { phase, errorMessage } = await find(admin, large);
    return phase === "waiting" && errorMessage?.startsWith("The disk is nearly full") === true;
  });
  const waiting = await archive(rig, admin, 2 * MIB);

  disk.fill(0);
  report(`${disk.freeBytes()} bytes are free`);
  await expectSoon("Readiness says that the disk is full", async () => {
    const response = await fetch(`${rig.publicUrl}/readyz`);
    return response.status === 503 && (await response.text()).includes("The disk is full");
  });
  await expectSoon("Health names the disk", async () => {
    const { cloudflare } = await admin.expect(systemMetrics);
    const { status, reason } = cloudflare.r2Storage;
    return status === "unhealthy" && reason?.includes("disk") === true;
  });
  await expectDone("Signed out", other.send(auth.logout.method, auth.logout.path));
  const banned = addressOf(banUser, { id: BANNED });
  await expectDone("Banned", admin.send(banUser.method, banned, { body: {} }));
  const cancelled = addressOf(cancelUpload, { id: waiting });
  await expectDone("Cancelled", admin.send(cancelUpload.method, cancelled));
  const { files } = await admin.expect(browseFiles);
  const file = files.find(({ status }) => status === "complete");
  const deleted = addressOf(deleteFile, { key: file?.key ?? "" });
  await expectDone("Deleted", admin.send(deleteFile.method, deleted));
  const { status, retryCount } = await find(admin, large);
  if (status !== "processing" || retryCount !== 0)
    faults.push(`The paused archive is ${status} after ${retryCount} retries`);

  disk.clear();
  await expectSoon("The archive goes on by itself", async () => {
    return (await find(admin, large)).status === "completed";
  });
  await expectSoon("The service is ready again", async () => {
    return (await fetch(`${rig.publicUrl}/readyz`)).status === 200;
  });
  return faults;
}

async function archive(rig: RigHost, client: TestClient, sizeBytes: number): Promise<string> {
  const segmentSizeBytes = MIB;
  const segmentCount = sizeBytes / segmentSizeBytes;
  return (await rig.archive(client, { segmentCount, segmentSizeBytes })).uploadId;
}

async function find(client: TestClient, id: string) {
  return await client.expect(getUpload, addressOf(getUpload, { id }));
}
