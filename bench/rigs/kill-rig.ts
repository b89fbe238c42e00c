import { setTimeout as pause } from "node:timers/promises";
import { cancelUpload, getUpload, listUploads, retryUpload } from "#contract/uploads.ts";
import {
  archiveKeys,
  sidecarKeys,
  manualManifestKey,
  manualObjectKey,
} from "#service/storage/object-keys.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import type { CustomVod } from "#stand-ins/twitch/catalog/custom-vod.ts";
import { createSeededDice } from "../seeded-dice.ts";
import type { Child } from "./child.ts";
import type { ExpectedObject } from "./kill-check.ts";
import type { Killable } from "./killable.ts";
import { SENT_FILENAME, startManualSender, type SentFile } from "./manual-sender.ts";
import { openRigHost, RIG_ADMIN, type RigArchive, type RigHost } from "./rig-host.ts";

/**
 * The most bytes of one archive that the engine may hold unrecorded, and so fetches again after a
 * kill: confirmed parts that wait for their checkpoint; two parts of 8 MiB, one being stored and
 * one being filled; the segments fetched ahead, or one segment, if that is larger; and the segment
 * in whose middle the last recorded part ends, which is fetched again completely.
 */
function mostRefetchedBytes(host: Killable, largestSegmentBytes: number): number {
  const unsealedParts = 2 * 8 * MIB;
  const fetchedAhead = Math.max(host.fetchAheadBytes, largestSegmentBytes);
  return host.unrecordedBytes + unsealedParts + fetchedAhead + largestSegmentBytes;
}

const MIB = 1024 * 1024;

/** Long enough for the slowest VOD below on a busy machine. */
const FINISH_WITHIN_MS = 300_000;

/**
 * A process killed during a removal holds its claim on it for half a minute
 * (service/storage/store-removals.ts). Each look starts and stops the host, which a busy machine
 * does slowly.
 */
const SETTLE_WITHIN_MS = 120_000;

const VODS = [
  { container: "ts", segmentCount: 30, segmentSizeBytes: [4_000_000, 900_000, 6_500_000] },
  { container: "fmp4", segmentCount: 300 },
  { container: "ts", segmentCount: 3, segmentSizeBytes: 30_000_000 },
  { container: "ts", segmentCount: 200, segmentSizeBytes: [300_000, 700_000] },
  { container: "multi-init-fmp4", segmentCount: 250 },
  { container: "ts", segmentCount: 1, segmentSizeBytes: 50_000 },
] as const;

/** No segment of the stand-in's recorded media is larger. */
const RECORDED_SEGMENT_BYTES = 360_000;

/** Slowed down, so that an archive is running for several kills. */
const PACE_BYTES_PER_SECOND = 40_000_000;

/**
 * Kills the real host with SIGKILL at random moments while it archives from the stand-in and
 * receives manual uploads, and restarts it. At the end compares every object byte for byte with its
 * source, the store's content with what is allowed, and the bytes that each kill made each archive
 * fetch again with what the engine may hold unrecorded.
 */
export async function runKillRig(options: {
  /** Opens the host under test, with its data in `folder`. */
  readonly openHost: (folder: string) => Killable;
  readonly kills: number;
  readonly seed: number;
  readonly report: (line: string) => void;
}) {
  const { random } = createSeededDice(options.seed);
  const folder = await makeTemporaryFolder();
  const killable = options.openHost(folder.path);
  const rig = await openRig(killable);
  const faults: string[] = [];
  let host = await rig.startHost();
  const client = await rig.signIn();
  const archives: Archive[] = [];
  const refetches = createRefetchWatch(rig);
  const sender = startManualSender(client, createSeededDice(options.seed + 1).random);
  let kills = 0;
  let isWaitDue = false;
  let slowestResumeMs = 0;
  try {
    while (kills < options.kills) {
      const open = await unfinished(client, archives);
      for (let count = open; count < killable.archivesAtOnce; count += 1) {
        const vod = VODS[archives.length % VODS.length] ?? VODS[0];
        archives.push(await rig.startArchive(client, vod));
      }
      // Half of the kills occur during the start, half while an archive runs at full speed.
      if (isWaitDue || random() < 0.5) {
        const resumeMs = await rig.waitForSegments(host);
        if (resumeMs === null) {
          if ((await unfinished(client, archives)) > 0)
            faults.push(
              `Kill ${kills}: nothing was fetched within ${killable.resumeWithinMs} ms of a start`,
            );
        } else slowestResumeMs = Math.max(slowestResumeMs, resumeMs);
      }
      await pause(random() * 1_200);
      await host.kill();
      kills += 1;
      await refetches.noteKill(archives.map(({ vodId }) => vodId));
      isWaitDue = killable.afterKill(kills);
      host = await rig.startHost();
      if (kills % 10 === 0) options.report(`${kills} kills, ${archives.length} archives`);
    }
    await sender.finish();
    faults.push(...sender.faults);
    await finishAll(client, [...archives, ...sender.sent], faults);
    await cancelUnanswered(client, sender.sent);
    await host.stop();
    const settledByMs = performance.now() + SETTLE_WITHIN_MS;
    while (killable.leftRows().length > 0 && performance.now() < settledByMs) {
      host = await rig.startHost();
      await pause(5_000);
      await host.stop();
    }
    faults.push(...killable.leftRows());
    const served = await askSource(rig, archives);
    faults.push(...(await killable.check([...served.objects, ...sender.sent.map(sentObject)])));
    const refetched = await refetches.finish(archives.map(({ vodId }) => vodId));
    for (const { kill, vodId, bytes } of refetched) {
      const archive = archives.find((each) => each.vodId === vodId);
      if (
        archive !== undefined &&
        bytes > mostRefetchedBytes(killable, archive.largestSegmentBytes)
      )
        faults.push(`Kill ${kill}: ${archive.uploadId} fetched ${bytes} bytes again`);
    }
    return {
      kills,
      archives: archives.length,
      /** Files sent by tus, and how often their connections were cut. */
      manualUploads: sender.sent.length,
      interruptions: sender.interruptions(),
      sourceBytes: served.sourceBytes,
      /** The most bytes that one kill made one archive fetch again. */
      mostRefetchedBytes: Math.max(0, ...refetched.map(({ bytes }) => bytes)),
      slowestResumeMs,
      /** Sentences; empty when all promises held. */
      faults,
    };
  } finally {
    await rig.close();
    killable.close?.();
    await folder.remove();
  }
}

type Archive = RigArchive & { readonly largestSegmentBytes: number };

type Rig = Awaited<ReturnType<typeof openRig>>;

async function openRig(killable: Killable) {
  const host = await openRigHost(killable);
  return {
    ...host,
    async startArchive(client: TestClient, vod: (typeof VODS)[number]): Promise<Archive> {
      const paced = { ...vod, paceBytesPerSecond: PACE_BYTES_PER_SECOND };
      const { segmentSizeBytes = RECORDED_SEGMENT_BYTES }: CustomVod = vod;
      return {
        ...(await host.archive(client, paced)),
        largestSegmentBytes: Math.max(...[segmentSizeBytes].flat()),
      };
    },
    /** Milliseconds from the host's start until it fetches a segment; null on timeout. */
    async waitForSegments(started: Child): Promise<number | null> {
      const before = await host.control.ledger();
      for (;;) {
        const elapsedMs = performance.now() - started.startedAtMs;
        const now = await host.control.ledger();
        const hasFetched = (now.requestsByKind.segment ?? 0) > (before.requestsByKind.segment ?? 0);
        if (hasFetched || now.openMedia > 0) return elapsedMs;
        if (elapsedMs > killable.resumeWithinMs) return null;
        await pause(20);
      }
    },
  };
}

async function unfinished(client: TestClient, archives: readonly Archive[]): Promise<number> {
  let count = 0;
  for (const archive of archives.slice(-6)) {
    const upload = await readUpload(client, archive.uploadId);
    if (upload.status === "pending" || upload.status === "processing") count += 1;
  }
  return count;
}

/** Retries what was failed because three kills in a row hit its start (record 0013), as people do. */
async function readUpload(client: TestClient, uploadId: string) {
  const upload = await client.expect(getUpload, `/admin/uploads/${uploadId}`);
  if (upload.errorMessage?.includes("A retry tries it again.") !== true) return upload;
  return await client.expect(retryUpload, `/admin/uploads/${uploadId}/retry`);
}

async function finishAll(
  client: TestClient,
  archives: readonly Pick<Archive, "uploadId">[],
  faults: string[],
): Promise<void> {
  const deadlineMs = performance.now() + FINISH_WITHIN_MS;
  for (const { uploadId } of archives) {
    let upload = await readUpload(client, uploadId);
    while (upload.status !== "completed" && performance.now() < deadlineMs) {
      if (upload.status === "failed" || upload.status === "cancelled") break;
      await pause(100);
      upload = await readUpload(client, uploadId);
    }
    if (upload.status !== "completed")
      faults.push(
        `${uploadId} is ${upload.status} (${upload.phase}): ${upload.errorMessage ?? "no reason"}`,
      );
  }
}

/** A host killed before it answered may have recorded an upload that its sender does not know. */
async function cancelUnanswered(client: TestClient, sent: readonly SentFile[]): Promise<void> {
  const known = new Set(sent.map(({ uploadId }) => uploadId));
  const { items } = await client.expect(listUploads, "/admin/uploads?status=pending&limit=100");
  for (const { id } of items)
    if (!known.has(id)) await client.expect(cancelUpload, `/admin/uploads/${id}/cancel`);
}

/** Reads the expected content of each archive. */
async function askSource(rig: Rig, archives: readonly Archive[]) {
  const objects: ExpectedObject[] = [];
  let sourceBytes = 0;
  for (const archive of archives) {
    const source = await rig.control.sourceDigest(archive.vodId);
    sourceBytes += source.sizeBytes;
    const asTs = archiveKeys(archive, "ts").object;
    objects.push({
      ...source,
      uploadId: archive.uploadId,
      keys: [asTs, archiveKeys(archive, "fmp4").object],
      sidecars: sidecarKeys(asTs),
    });
  }
  return { objects, sourceBytes };
}

function sentObject(file: SentFile): ExpectedObject {
  const identity = { ownerId: RIG_ADMIN, uploadId: file.uploadId };
  return {
    ...file,
    keys: [manualObjectKey(identity, SENT_FILENAME)],
    sidecars: [manualManifestKey(identity)],
  };
}

type SentBySegment = Readonly<Record<string, number>>;

/**
 * Measures the bytes that the source had to send twice because of a kill, for each kill and
 * archive: those of every segment that the killed run had fetched and a later one fetched again.
 */
function createRefetchWatch(rig: Pick<RigHost, "control">) {
  const kills: ReadonlyMap<string, SentBySegment>[] = [];

  async function readSent(vodIds: readonly string[]): Promise<ReadonlyMap<string, SentBySegment>> {
    // A response counts once the source has noticed that its client is gone.
    while ((await rig.control.ledger()).openMedia > 0) await pause(5);
    const sent = new Map<string, SentBySegment>();
    for (const vodId of vodIds) sent.set(vodId, await rig.control.served(vodId));
    return sent;
  }

  return {
    /** Call after each kill, before the host starts again. */
    async noteKill(vodIds: readonly string[]): Promise<void> {
      kills.push(await readSent(vodIds));
    },
    /** Call after the last archive has ended. */
    async finish(vodIds: readonly string[]) {
      const end = await readSent(vodIds);
      return kills.flatMap((sent, kill) =>
        vodIds.map((vodId) => ({
          kill: kill + 1,
          vodId,
          bytes: refetchedBytes(
            kills[kill - 1]?.get(vodId) ?? {},
            sent.get(vodId) ?? {},
            end.get(vodId) ?? {},
          ),
        })),
      );
    },
  };
}

/** Bytes of segments sent between `before` and `atKill` that were sent again by `end`. */
function refetchedBytes(before: SentBySegment, atKill: SentBySegment, end: SentBySegment): number {
  let bytes = 0;
  for (const [index, sentBytes] of Object.entries(atKill))
    if ((end[index] ?? 0) > sentBytes) bytes += sentBytes - (before[index] ?? 0);
  return bytes;
}
