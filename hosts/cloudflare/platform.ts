import { systemClock } from "#hosts/ports/clock.ts";
import { openMailTransport } from "#hosts/ports/mail.ts";
import type { StoredLogs } from "#hosts/ports/stored-logs.ts";
import type { ResumeQueue } from "#service/ports/resume-queue.ts";
import type { Scheduler } from "#service/ports/scheduler.ts";
import type { Platform } from "#service/platform.ts";
import type { Settings } from "#service/settings.ts";
import { hubOf, type Bindings } from "./bindings.ts";
import { openD1Database } from "./d1-database.ts";
import { webDigests } from "./digests.ts";
import { openKvCache } from "./kv-cache.ts";
import { openLiveHub } from "./live-hub.ts";
import { createWorkerLogSink } from "./log-sink.ts";
import { readBucketPrefix } from "./bucket-prefix.ts";
import { knownPartTags } from "./part-tags.ts";
import { openR2Store } from "./r2-store.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { openResumeQueue } from "./resume-queue.ts";
import { SLICE } from "./slice.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { inLargeChunks } from "./large-chunks.ts";
import type { BreakableBody } from "#service/ports/breakable-body.ts";

export type CloudflarePlatform = {
  readonly platform: Platform;
  /** Writes waiting log records. Never rejects. */
  flushLogs(): Promise<void>;
  /** Ends subscriptions and writes the last log records. */
  close(): Promise<void>;
};

/** What differs between the kinds of invocations. */
export type PlatformOptions = {
  readonly scheduler: Scheduler;
  readonly logs?: StoredLogs;
  readonly archiveConcurrency?: number;
  readonly wrapQueue?: (queue: ResumeQueue) => ResumeQueue;
};

/**
 * The platform of one invocation or Durable Object: the runtime ties sockets, timers and streams to
 * the event that opened them.
 */
export function openCloudflarePlatform(
  bindings: Bindings,
  settings: Settings,
  options: PlatformOptions,
): CloudflarePlatform {
  const clock = systemClock;
  const database = openD1Database(bindings.DB);
  const logs = options.logs ?? createWorkerLogSink(console);
  const hub = openLiveHub(() => hubOf(bindings), clock, logs);
  const queue = openResumeQueue(bindings.VOD_RESUME, clock);
  return {
    platform: {
      database,
      objects: {
        ...openR2Store(bindings.OBJECTS, "none", readBucketPrefix(settings)),
        get partTagAlgorithm() {
          return knownPartTags();
        },
      },
      cache: openKvCache(bindings.CACHE, clock),
      queue: options.wrapQueue?.(queue) ?? queue,
      hub,
      scheduler: options.scheduler,
      fetch: outgoingFetch,
      // The runtime itself reaches public addresses only.
      webhookFetch: outgoingFetch,
      clock,
      random: systemRandom,
      logs,
      digests: webDigests,
      breakable,
      telemetry: null,
      mail: openMailTransport(settings),
      runtime: {
        startedAt: new Date(bindings.VERSION.timestamp),
        host: "cloudflare",
        ...SLICE,
        archiveConcurrency: options.archiveConcurrency ?? 1,
        archivePlaces: settings.ARCHIVE_CONCURRENCY,
        isSoleWriter: false,
      },
    },
    flushLogs: () => logs.flush(database),
    async close() {
      hub.close();
      await logs.flush(database);
    },
  };
}

/**
 * Requests to other servers. Redirects are returned, not followed, since callers check each
 * address. Cloudflare's own cache is bypassed: a VOD's segments are read once.
 */
const outgoingFetch: OutgoingFetch = async (url, init = {}) => {
  const headers = new Headers(init.headers);
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  const response = await fetch(url, {
    ...init,
    headers,
    redirect: "manual",
    cache: "no-store",
  });
  return response.body === null ? response : new Response(inLargeChunks(response.body), response);
};

/**
 * The runtime pipes the bytes itself: no chunk of a stored file passes through JavaScript, and the
 * announced length is kept.
 */
export function breakable(
  source: ReadableStream<Uint8Array>,
  sizeBytes: number,
  signal: AbortSignal,
): BreakableBody {
  const { readable, writable } = new FixedLengthStream(sizeBytes);
  const ended = source.pipeTo(writable, { signal }).catch(() => undefined);
  return { body: readable, ended };
}
