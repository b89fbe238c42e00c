import { setTimeout as pause } from "node:timers/promises";
import { deleteFile } from "#contract/files.ts";
import { deleteUpload, getUpload, startUpload } from "#contract/uploads.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import * as z from "zod/mini";
import { startChild } from "../rigs/child.ts";
import { killableNodeHost } from "../rigs/killable-node.ts";
import { openRigHost } from "../rigs/rig-host.ts";
import { poll, type PollFigures } from "./polling.ts";

export type MixedFigures = {
  /** Polling only. */
  readonly polledAlone: PollFigures;
  /** While archives run one after another. */
  readonly polled: PollFigures;
  readonly archiveAloneMbPerSec: number;
  readonly archiveMbPerSec: number;
  /** As a share of the archive's speed alone. */
  readonly speedKept: number;
};

/** 420 MB in segments the size of a 1080p60 source. */
const VOD = { container: "ts", segmentCount: 50, segmentSizeBytes: 8_400_000 };

/** Archives before and after the polling, so that both see the same machine load. */
const ARCHIVES_ALONE = 2;

const vodSchema = z.object({ id: z.string() });

/** Measures the real host on a seeded folder: polling alone, archiving alone, and both at once. */
export async function measureMixed(folder: string, seconds: number): Promise<MixedFigures> {
  const twitch = await startChild("stand-ins/twitch/main.ts", {});
  const rig = await openRigHost(killableNodeHost(folder), twitch);
  const host = await rig.startHost();
  try {
    const client = await rig.signIn();
    const vod = await rig.control(vodSchema, "vods", VOD);
    // Warms up connections, statements and the pages of the first lists.
    await poll(rig.publicUrl, 2);
    await archiveOnce(client, vod.id);
    const polledAlone = await poll(rig.publicUrl, Math.ceil(seconds / 4));
    const before = await archiveTimes(client, vod.id, ARCHIVES_ALONE);
    const polling = poll(rig.publicUrl, seconds);
    const during = await archiveWhile(client, vod.id, polling);
    const polled = await polling;
    const after = await archiveTimes(client, vod.id, ARCHIVES_ALONE);
    const alone = [...before, ...after];
    const archiveAloneMbPerSec = alone.reduce((sum, speed) => sum + speed, 0) / alone.length;
    const archiveMbPerSec = during.reduce((sum, speed) => sum + speed, 0) / during.length;
    return {
      polledAlone,
      polled,
      archiveAloneMbPerSec,
      archiveMbPerSec,
      speedKept: archiveMbPerSec / archiveAloneMbPerSec,
    };
  } finally {
    await host.stop();
    await twitch.stop();
  }
}

async function archiveTimes(client: TestClient, vodId: string, times: number): Promise<number[]> {
  const speeds: number[] = [];
  for (let count = 0; count < times; count += 1) speeds.push(await archiveOnce(client, vodId));
  return speeds;
}

async function archiveWhile(
  client: TestClient,
  vodId: string,
  polling: Promise<unknown>,
): Promise<number[]> {
  const ended = polling.then(() => "ended" as const);
  const speeds: number[] = [];
  for (;;) {
    const archiving = archiveOnce(client, vodId);
    // An archive that outlasts the polling does not count: its end ran alone.
    const isWhole = (await Promise.race([archiving, ended])) !== "ended";
    const speed = await archiving;
    if (!isWhole) return speeds.length === 0 ? [speed] : speeds;
    speeds.push(speed);
  }
}

/** MB/s from the first byte until verified; leaves the folder unchanged. */
async function archiveOnce(client: TestClient, vodId: string): Promise<number> {
  const { id } = await client.expect(startUpload, startUpload.path, {
    body: { source: { type: "twitch", vodId }, rightsConfirmed: true, again: true },
  });
  for (;;) {
    const upload = await client.expect(getUpload, `/admin/uploads/${id}`);
    if (upload.status === "completed") {
      const tookMs = Date.parse(upload.completedAt ?? "") - Date.parse(upload.startedAt ?? "");
      await client.expect(deleteFile, `/admin/r2/file/${upload.fileKey ?? ""}`);
      await client.expect(deleteUpload, `/admin/uploads/${id}`);
      return upload.processedSize / 1_000 / tookMs;
    }
    if (upload.status !== "pending" && upload.status !== "processing")
      throw new Error(`The archive ended as ${upload.status}: ${upload.errorMessage ?? ""}`);
    await pause(100);
  }
}
