import { statfs } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { WakeUp } from "#service/ports/resume-queue.ts";
import type { DiskSpace, Platform } from "#service/platform.ts";
import { migrate } from "#service/db/migrate.ts";
import { createLogger } from "#service/logger.ts";
import type { Settings } from "#service/settings.ts";
import { createWebhookGuard } from "#service/webhooks/webhook-address.ts";
import { openTableCache } from "./cache.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { openSqliteDatabase } from "./database.ts";
import { snapshotSizeBytes } from "./database-snapshot.ts";
import { breakable } from "./breakable-body.ts";
import { createDigests } from "./digests.ts";
import { readLastBackup } from "./last-backup.ts";
import { openLibraryFolder } from "./library-folder.ts";
import { createLiveHub } from "./live-hub.ts";
import type { NodeLogSink } from "./log-sink.ts";
import { objectsFolder, openObjectStore } from "./object-store.ts";
import { collectGarbage } from "./memory-limits.ts";
import { openMailTransport } from "#hosts/ports/mail.ts";
import { createMediaReceiver } from "./media-receiver.ts";
import { usesProxy } from "./proxy.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";
import { guardConnections } from "./guarded-connection.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { openReserveFile } from "./reserve-file.ts";
import { createResumeQueue } from "./resume-queue.ts";
import { createTimerScheduler } from "./scheduler.ts";
import { observeUpstream } from "#service/metrics/observed-upstreams.ts";
import { COMMIT, VERSION } from "#service/version.ts";
import { createSnapshots } from "./snapshots.ts";
import { createTelemetry } from "./telemetry.ts";
import { copyBeforeUpgrade } from "./upgrade-copy.ts";

export type NodePlatform = {
  readonly platform: Platform;
  /** Delivers the queue's messages to `consume` from now on. */
  attachConsumer(consume: (message: WakeUp) => Promise<void>): void;
  /** Stops the scheduler and the queue, waiting for runs in progress. */
  quiesce(): Promise<void>;
  /** Closes connections, files and the database, in this order. */
  close(): Promise<void>;
};

/**
 * Segments and parts in memory for all archives together: for two archives, each with a part of
 * 8 MiB and two segments of 8.4 MB. Further archives take a part and two segments each
 * (docs/targets.md#archive).
 */
const COPY_BUFFER_BYTES = 52 * 1024 * 1024;

/** Six parts of 8 MiB that are being filled or stored. */
const BODY_BUFFER_BYTES = 48 * 1024 * 1024;

/** Nothing ends a long run here; a slice ends so that waiting archives get their turn. */
const SLICE_MS = 60 * 60 * 1_000;

/** Reads the length of one file; at the first start this writes the file. */
const REFILL_EVERY_MS = 10_000;

/** The finest resolution that the console shows. */
const PROGRESS_EVERY_MS = 1_000;

/**
 * The platform on one machine: everything is in `dataFolder`, which the caller has locked. Migrates
 * the schema.
 */
export async function openNodePlatform(
  settings: Settings,
  dataFolder: string,
  logs: NodeLogSink,
): Promise<NodePlatform> {
  const clock = systemClock;
  const startedAt = new Date(clock.now());
  const reserve = openReserveFile(join(dataFolder, "reserve"));
  const database = openSqliteDatabase(join(dataFolder, "vodkeep.db"), reserve);
  const refilling = setInterval(() => reserve.refill(), REFILL_EVERY_MS).unref();
  const log = createLogger(clock, logs);
  const isUpgraded = await migrate(database, clock.now(), (firstStep, stepCount) => {
    const sizeMb = Math.ceil(snapshotSizeBytes(join(dataFolder, "vodkeep.db")) / 1e6);
    log.info(`Upgrading the database (${stepCount} steps, ${sizeMb} MB; a copy is made first)`);
    copyBeforeUpgrade(dataFolder, firstStep);
  });
  if (isUpgraded) log.info("The database is upgraded");
  logs.storeIn(database);
  const outgoing = createOutgoingFetch();
  const webhooks = createOutgoingFetch(
    guardConnections(createWebhookGuard(settings.WEBHOOK_HOSTS)),
  );
  const media = createMediaReceiver(outgoing.fetch);
  const digests = createDigests();
  const telemetry = settings.METRICS_TOKEN === undefined ? null : createTelemetry(VERSION, COMMIT);
  const store = await openObjectStore(settings, {
    dataFolder,
    digests,
    fetch:
      telemetry === null ? outgoing.fetch : observeUpstream("store", outgoing.fetch, telemetry),
    clock,
    random: systemRandom,
  });
  const scheduler = createTimerScheduler(clock, logs);
  // One place more than the archiver takes, so that proofs never wait for archives.
  const queue = createResumeQueue({ clock, logs, concurrency: settings.ARCHIVE_CONCURRENCY + 1 });

  // The objects' folder may be a separate mount.
  const readDisks = () =>
    Promise.all([
      readSpace(dataFolder).then((disk) => ({ ...disk, isWithoutObjects: true })),
      ...(settings.OBJECT_STORE === undefined ? [readSpace(objectsFolder(dataFolder))] : []),
    ]);

  return {
    platform: {
      database,
      objects: store.objects,
      cache: await openTableCache(database, clock),
      queue,
      hub: createLiveHub(clock),
      scheduler,
      fetch: outgoing.fetch,
      webhookFetch: webhooks.fetch,
      // Direct connections have no proxy.
      receive: usesProxy() ? outgoing.fetch : media.receive,
      clock,
      random: systemRandom,
      logs,
      digests,
      breakable,
      telemetry,
      mail: openMailTransport(settings),
      snapshots: createSnapshots(dataFolder),
      library:
        settings.LIBRARY_DIR === undefined
          ? undefined
          : openLibraryFolder(settings.LIBRARY_DIR, {
              objects: objectsFolder(dataFolder),
              mayCopy: settings.LIBRARY_COPIES,
            }),
      runtime: {
        startedAt,
        host: "node",
        smallestPartBytes: 8 * 1024 * 1024,
        copyBufferBytes: COPY_BUFFER_BYTES,
        bodyBufferBytes: BODY_BUFFER_BYTES,
        connectionsPerArchive: 6,
        sliceMs: SLICE_MS,
        longestRunMs: Infinity,
        checkpointBytes: 0,
        progressEveryMs: PROGRESS_EVERY_MS,
        archiveConcurrency: settings.ARCHIVE_CONCURRENCY,
        archivePlaces: settings.ARCHIVE_CONCURRENCY,
        isSoleWriter: true,
        disks: readDisks,
        lastBackupAt: () => readLastBackup(dataFolder),
        cpuMs: readCpuMs,
        releaseMemory() {
          digests.rest();
          collectGarbage();
        },
      },
    },
    attachConsumer: (consume) => queue.attach(consume),
    async quiesce() {
      await Promise.all([scheduler.stop(), queue.stop()]);
    },
    async close() {
      media.close();
      await outgoing.close();
      await webhooks.close();
      await store.close();
      await digests.close();
      await logs.flush();
      await database.close();
      clearInterval(refilling);
      reserve.close();
    },
  };
}

async function readSpace(path: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
