import type { MakeBreakable } from "./ports/breakable-body.ts";
import type { Cache } from "./ports/cache.ts";
import type { Clock } from "./ports/clock.ts";
import type { Database } from "./ports/database.ts";
import type { Digests } from "./ports/digests.ts";
import type { LiveHub } from "./ports/live-hub.ts";
import type { LogSink } from "./ports/log-sink.ts";
import type { MailTransport } from "./ports/mail.ts";
import type { ObjectStore } from "./ports/object-store.ts";
import type { OutgoingFetch } from "./ports/outgoing-fetch.ts";
import type { Random } from "./ports/random.ts";
import type { ResumeQueue } from "./ports/resume-queue.ts";
import type { Scheduler } from "./ports/scheduler.ts";
import type { Telemetry } from "./ports/telemetry.ts";

/**
 * What the service asks of its surroundings. A host supplies one platform and nothing else; the
 * service imports no host and nothing that only one runtime has.
 *
 * The database is the only truth. Everything else may forget: the cache at any time, the queue and
 * the hub whenever a process ends. Losing them delays work by one sweep and loses none.
 */
export type Platform = {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly cache: Cache;
  readonly queue: ResumeQueue;
  readonly hub: LiveHub;
  readonly scheduler: Scheduler;
  readonly fetch: OutgoingFetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logs: LogSink;
  readonly digests: Digests;
  readonly runtime: Runtime;
  readonly breakable: MakeBreakable;
  /** Null where processes come and go with requests, or nobody reads metrics. */
  readonly telemetry: Telemetry | null;
  /** Null where no mail server is configured. */
  readonly mail: MailTransport | null;
};

export type Runtime = {
  readonly startedAt: Date;
  /** Name of the host, e.g. "node". */
  readonly host: string;
  /** Memory the archive engine may hold in segments and parts, in bytes. */
  readonly copyBufferBytes: number;
  /** Memory in which this process collects uploaded bytes, of all requests together. */
  readonly bodyBufferBytes: number;
  /** Connections one archive may hold open to the source; six is the Workers limit. */
  readonly connectionsPerArchive: number;
  /** An archive hands over after this long, so that no run outlives the platform's limit. */
  readonly sliceMs: number;
  /**
   * A run has ended by then whatever it does. What follows the copy (chat, proof) cannot be handed
   * over halfway, and so may outlast the slice up to here.
   */
  readonly longestRunMs: number;
  /**
   * Confirmed bytes that go on record with one write: what a crash may cost once more, against a
   * write for each part. 0 writes each part at once.
   */
  readonly checkpointBytes: number;
  /** Between two writes of an archive's progress, which renew its lease as well. */
  readonly progressEveryMs: number;
  /** How many archives this process copies at a time. */
  readonly archiveConcurrency: number;
  /**
   * The host makes sure that no other process works on this database while this one lives. Leases
   * of earlier processes are then void, and their archives go on at once after a restart.
   */
  readonly isSoleWriter: boolean;
  /** The disks that hold the database and the objects; absent where there is none to fill. */
  disks?(): Promise<readonly DiskSpace[]>;
  /** CPU time of this process since it started, in milliseconds; absent where it cannot be read. */
  cpuMs?(): number;
};

/** `freeBytes`: what this process may still use, which can be less than what is free. */
export type DiskSpace = { readonly freeBytes: number; readonly sizeBytes: number };
