import { copyFile, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test, vi } from "vitest";
import { backUpNow, readBackups } from "#contract/backups.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { systemMetrics } from "#contract/system.ts";
import { createToken } from "#contract/tokens.ts";
import { listUploads } from "#contract/uploads.ts";
import { findFreePort } from "#hosts/node/testing/free-port.ts";
import { runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { TestClient } from "#service/testing/test-client.ts";
import { startChild } from "./child.ts";
import { openRigHost, RIG_ADMIN } from "./rig-host.ts";
import { untilCompleted } from "./until-completed.ts";

/**
 * How fast the hour passes: 4 makes it a quarter of an hour. A sign-in has to end before the clock is
 * five minutes ahead of Twitch's, which is within ten seconds here.
 */
const FACTOR = Number(process.env["CLOCK_FACTOR"] ?? 30);
const HOUR_SEC = 3_600;
const PASSES_WITHIN_MS = 120_000 + (2_000 * HOUR_SEC) / FACTOR;
const SMALL = { segmentCount: 2, segmentSizeBytes: 100_000 };

test(
  "beside its living first machine a restored one runs an hour, and it alone writes",
  { timeout: 3 * PASSES_WITHIN_MS },
  async () => {
    await using folder = await makeTemporaryFolder();
    const [one, two] = [join(folder.path, "one"), join(folder.path, "two")];
    const rig = await openRigHost(swiftHost(one));
    onTestFinished(() => rig.close());
    const firstHost = await rig.startHost();
    onTestFinished(() => firstHost.kill());
    const first = await openProgram(rig.publicUrl);
    const stored = await rig.archive(first, SMALL);
    const { fileKey } = await untilCompleted(first, stored.uploadId);
    const nightly = (await first.expect(readBackups)).last?.at;
    await first.expect(backUpNow);
    await vi.waitFor(
      async () =>
        expect([undefined, nightly]).not.toContain((await first.expect(readBackups)).last?.at),
      180_000,
    );

    await mkdir(two);
    await symlink(join(one, "objects"), join(two, "objects"));
    await copyFile(join(one, "secret-key"), join(two, "secret-key"));
    expect(await runVodkeep(["restore", "--yes"], { DATA_DIR: two })).toMatchObject({ code: 0 });
    const port = String(await findFreePort());
    const url = `http://127.0.0.1:${port}`;
    const secondHost = await rig.startHost(swiftHost(two), { PORT: port, PUBLIC_URL: url });
    const second = await openProgram(url);
    const startSec = await uptimeSec(first);
    for (const minutes of [0, 20, 40]) {
      await untilSec(second, minutes * 60);
      // Deleted or stored by the first one, these would be missing or too many in the end.
      await first.call("DELETE", `/admin/r2/file/${fileKey}`);
      await rig.archive(first, SMALL);
      const { uploadId } = await rig.archive(second, SMALL);
      await untilCompleted(second, uploadId);
    }
    await untilSec(second, HOUR_SEC);
    await untilSec(first, startSec + HOUR_SEC);

    // What the first one was asked for waits.
    const completed = `${listUploads.path}?status=completed`;
    expect(await second.expect(listUploads, completed)).toMatchObject({ total: 4 });
    expect(await first.expect(listUploads, completed)).toMatchObject({ total: 1 });
    // A probe's result is stale after 3 s of this clock, and the machine may be busy for longer.
    await untilReadiness(rig.publicUrl, 503);
    await untilReadiness(url, 200);
    const mark = await readFile(join(one, "objects/vodkeep-owner.json"), "utf8");
    expect(JSON.parse(mark)).toMatchObject({ publicUrl: url });
    const program = { VODKEEP_URL: url, VODKEEP_TOKEN: second.token ?? "" };
    const copies = join(folder.path, "copies");
    expect(await runVodkeep(["mirror", copies], program)).toMatchObject({ code: 0 });
    const proved = await runVodkeep(["verify", copies], program);
    expect(proved.stdout).toMatch(/4 of 4 files are right/);
    await firstHost.stop();
    await secondHost.stop();
    const { stdout } = await runVodkeep(["rebuild-index"], { DATA_DIR: two });
    expect(stdout).toMatch(
      /^Put back 0 completed and 0 partial .*; 4 were known, 0 had no object/m,
    );
  },
);

/** The Node host on a folder, with a fast clock. */
function swiftHost(folder: string) {
  const clock = { DATA_DIR: folder, CLOCK_FACTOR: String(FACTOR) };
  return {
    start: (settings: Readonly<Record<string, string>>) =>
      startChild("bench/rigs/swift-node.ts", { ...settings, ...clock }),
  };
}

/** With a token: bearers end within seconds, and Twitch's clock is soon behind. */
async function openProgram(url: string): Promise<TestClient> {
  const admin = new TestClient(fetch, url, url);
  await admin.signIn(RIG_ADMIN);
  const { token } = await admin.expect(createToken, undefined, {
    body: { name: "rig", permissions: PERMISSIONS, expiresInDays: null },
  });
  return Object.assign(admin.bearerOnly(), { token });
}

async function untilReadiness(url: string, status: number): Promise<void> {
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(status), 180_000);
}

async function uptimeSec(client: TestClient): Promise<number> {
  return (await client.expect(systemMetrics)).uptime;
}

async function untilSec(client: TestClient, sec: number): Promise<void> {
  await vi.waitFor(async () => expect(await uptimeSec(client)).toBeGreaterThanOrEqual(sec), {
    timeout: PASSES_WITHIN_MS,
    interval: 500,
  });
}
