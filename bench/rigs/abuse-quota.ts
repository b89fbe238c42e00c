import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestClient } from "#service/testing/test-client.ts";
import type { AbuseOptions, AbuseResult } from "./abuse-scenario.ts";
import { startChild } from "./child.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost } from "./rig-host.ts";

const GIB = 1024 ** 3;
const QUOTA_BYTES = 1 * GIB;
const PIECE_BYTES = 100 * 1024 * 1024;

/** The largest manual upload: 10,000 parts of 32 MiB. */
const LARGEST_BYTES = 10_000 * 32 * 1024 * 1024;

/** More uploads than fit into the quota, and no more requests than necessary. */
const MOST_CREATIONS = 60;

/**
 * Declares more bytes than a user may have, and more than the disk has, in concurrent requests.
 * Sends no data: declared sizes already count.
 */
export async function quota({ requests, report }: AbuseOptions): Promise<AbuseResult> {
  const folder = await mkdtemp(join(tmpdir(), "vodkeep-quota-"));
  const twitch = await startChild("stand-ins/twitch/main.ts", {});
  const node = killableNodeHost(folder);
  const limits = { UPLOAD_QUOTA_GB: "1" };
  const rig = await openRigHost(
    { start: (settings) => node.start({ ...settings, ...limits }) },
    twitch,
  );
  let host = await rig.startHost();
  try {
    const creations = Math.max(20, Math.min(requests, MOST_CREATIONS));
    const faults: string[] = [];
    const own = await declare(await rig.signIn(), creations, PIECE_BYTES);
    report(`quota: ${own.accepted} accepted, ${own.refused} refused`);
    if (own.accepted !== Math.floor(QUOTA_BYTES / PIECE_BYTES))
      faults.push(`${own.accepted} uploads of 100 MB were accepted into a quota of 1 GB`);
    if (own.statuses.some((status) => status !== 201 && status !== 413))
      faults.push(`Creations were answered with ${own.statuses.join(", ")}`);

    await host.stop();
    limits.UPLOAD_QUOTA_GB = "1000000000";
    host = await rig.startHost();
    const disk = await statfs(folder);
    const freeBytes = disk.bavail * disk.bsize;
    const disks = await declare(await rig.signIn(), creations, LARGEST_BYTES);
    report(`disk: ${disks.accepted} accepted, ${disks.refused} refused`);
    if (disks.accepted * LARGEST_BYTES > freeBytes)
      faults.push(`${disks.accepted} uploads of 313 GB were accepted with ${freeBytes} bytes free`);
    if (disks.statuses.some((status) => status !== 201 && status !== 503))
      faults.push(`Creations were answered with ${disks.statuses.join(", ")}`);
    return {
      summary: `${own.refused} creations beyond the quota and ${disks.refused} beyond the disk were refused.`,
      faults,
    };
  } finally {
    await host.kill();
    await twitch.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function declare(client: TestClient, count: number, sizeBytes: number) {
  const statuses = await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await client.send("POST", "/admin/uploads/manual", {
        headers: { "tus-resumable": "1.0.0", "upload-length": String(sizeBytes) },
      });
      await response.body?.cancel();
      return response.status;
    }),
  );
  const accepted = statuses.filter((status) => status === 201).length;
  return { accepted, refused: count - accepted, statuses: [...new Set(statuses)] };
}
