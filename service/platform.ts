import type { MakeBreakable } from "./ports/breakable-body.ts";
import type { Cache } from "./ports/cache.ts";
import type { Clock } from "./ports/clock.ts";
import type { Database } from "./ports/database.ts";
import type { Digests } from "./ports/digests.ts";
import type { LibraryFolder } from "./ports/library-folder.ts";
import type { LiveHub } from "./ports/live-hub.ts";
import type { LogSink } from "./ports/log-sink.ts";
import type { MailTransport } from "./ports/mail.ts";
import type { ObjectStore } from "./ports/object-store.ts";
import type { OutgoingFetch } from "./ports/outgoing-fetch.ts";
import type { Receive } from "./ports/receive.ts";
import type { Random } from "./ports/random.ts";
import type { ResumeQueue } from "./ports/resume-queue.ts";
import type { SetupHost } from "./ports/setup-host.ts";
import type { Scheduler } from "./ports/scheduler.ts";
import type { Snapshots } from "./ports/snapshots.ts";
import type { Telemetry } from "./ports/telemetry.ts";

/**
 * Everything the service needs from its environment. A host supplies one platform; the service
 * imports no host and nothing that only one runtime has.
 *
 * The database is the only source of truth. Everything else may lose data: the cache at any time,
 * the queue and the hub whenever a process ends. Such a loss delays work by one sweep and loses
 * none.
 */
export type Platform = {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly cache: Cache;
  readonly queue: ResumeQueue;
  readonly hub: LiveHub;
  readonly scheduler: Scheduler;
  readonly fetch: OutgoingFetch;
  /** For webhooks: connects to public addresses, and to private ones that WEBHOOK_HOSTS lists. */
  readonly webhookFetch: OutgoingFetch;
  /** Absent where `fetch` is the fastest way to receive media. */
  readonly receive?: Receive;
  readonly clock: Clock;
  readonly random: Random;
  readonly logs: LogSink;
  readonly digests: Digests;
  readonly runtime: Runtime;
  readonly breakable: MakeBreakable;
  /** Null where processes live only for a request, or nobody reads metrics. */
  readonly telemetry: Telemetry | null;
  /** Absent where the database has a history of its own. */
  readonly snapshots?: Snapshots | undefined;
  /** Null where no mail server is configured. */
  readonly mail: MailTransport | null;
  /** Absent where no folder for media servers is configured, or the host has no folders. */
  readonly library?: LibraryFolder | undefined;
  /** Absent where the settings are the deployment's alone. */
  readonly setup?: SetupHost;
};

export type Runtime = {
  readonly startedAt: Date;
  /** Name of the host, e.g. "node". */
  readonly host: string;
  /** Memory the archive engine may hold in segments and parts, in bytes. */
  readonly copyBufferBytes: number;
  /** Memory for uploaded bytes in this process, shared by all requests. */
  readonly bodyBufferBytes: number;
  /** Size of a part of most objects; large ones take up to four times as much. Stores want 5 MiB. */
  readonly smallestPartBytes: number;
  /** Maximum connections of one archive to the source; six is the Workers limit. */
  readonly connectionsPerArchive: number;
  /** An archive hands over after this time, so that no run exceeds the platform's limit. */
  readonly sliceMs: number;
  /**
   * Upper limit of a run's duration. The step after the copy (the proof) cannot be handed over
   * halfway, so it may exceed the slice up to here.
   */
  readonly longestRunMs: number;
  /**
   * Confirmed bytes per checkpoint write: a crash costs at most this much again, in exchange for
   * fewer writes. 0 writes a checkpoint after each part.
   */
  readonly checkpointBytes: number;
  /** Interval between writes of an archive's progress, which also renew its lease. */
  readonly progressEveryMs: number;
  /** Number of archives this process copies in parallel. */
  readonly archiveConcurrency: number;
  /** Number of archives that all processes together copy in parallel. */
  readonly archivePlaces: number;
  /**
   * True when the host guarantees that only this process uses the database. Leases of earlier
   * processes are then void, and their archives resume immediately after a restart.
   */
  readonly isSoleWriter: boolean;
  /** The disks of the database and the objects; absent where there are none. */
  disks?(): Promise<readonly DiskSpace[]>;
  /** When the data was last backed up; null if never, absent where no backup is made by a command. */
  lastBackupAt?(): Promise<Date | null>;
  /**
   * CPU time of this process since its start, in milliseconds; absent where it cannot be measured.
   */
  cpuMs?(): number;
  /** Frees the memory of finished archives; called when none runs. */
  releaseMemory?(): void;
};

export type DiskSpace = {
  /** The space available to this process, which can be less than the free space. */
  readonly freeBytes: number;
  readonly sizeBytes: number;
  /** True if objects are stored elsewhere. */
  readonly isWithoutObjects?: boolean;
};
