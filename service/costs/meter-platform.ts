import type { Cache } from "#service/ports/cache.ts";
import type { Database, RunResult } from "#service/ports/database.ts";
import type { LiveHub } from "#service/ports/live-hub.ts";
import type { ResumeQueue } from "#service/ports/resume-queue.ts";
import type { Platform } from "#service/platform.ts";
import { createUsageMeter, type UsageMeter } from "./usage-meter.ts";

/** One write, one read and one delete per message (Queues pricing). */
const OPERATIONS_PER_MESSAGE = 3;

/**
 * The same platform, counting the use of its database, cache, queue and hub as Cloudflare would bill
 * it, on any host; metrics/observed-store.ts counts that of the store. The scheduler's own alarms are
 * not counted: a single object serves every task and stays inside its allowance.
 */
export function meterPlatform(platform: Platform): { platform: Platform; meter: UsageMeter } {
  const meter = createUsageMeter(platform);
  return {
    meter,
    platform: {
      ...platform,
      database: meterDatabase(platform.database, meter),
      cache: meterCache(platform.cache, meter),
      queue: meterQueue(platform.queue, meter),
      hub: meterHub(platform.hub, meter),
    },
  };
}

/**
 * Uses the reported cost of each statement where the database reports one. Otherwise estimates a
 * lower bound: rows read are the rows returned, but at least one; rows written are the rows
 * changed, without index and trigger writes.
 */
function meterDatabase(database: Database, meter: UsageMeter): Database {
  const reports = database.onUsage !== undefined;
  database.onUsage?.(({ rowsRead, rowsWritten }) => {
    meter.count("rowsRead", rowsRead);
    meter.count("rowsWritten", rowsWritten);
  });
  function estimate(result: RunResult): RunResult {
    if (!reports) {
      meter.count("rowsRead", Math.max(1, result.rows.length));
      meter.count("rowsWritten", result.changes);
    }
    return result;
  }
  return {
    async all(statement) {
      const rows = await database.all(statement);
      if (!reports) meter.count("rowsRead", Math.max(1, rows.length));
      return rows;
    },
    run: async (statement, options) => estimate(await database.run(statement, options)),
    batch: async (statements, options) => (await database.batch(statements, options)).map(estimate),
    ...(database.fsync === undefined ? {} : { fsync: async () => database.fsync?.() }),
    ...(database.sizeBytes === undefined
      ? {}
      : { sizeBytes: async () => (await database.sizeBytes?.()) ?? 0 }),
  };
}

function meterCache(cache: Cache, meter: UsageMeter): Cache {
  return {
    async get(key) {
      meter.count("kvReads");
      return await cache.get(key);
    },
    async set(key, value, timeToLiveMs) {
      meter.count("kvWrites");
      await cache.set(key, value, timeToLiveMs);
    },
    async clear() {
      meter.count("kvLists");
      const dropped = await cache.clear();
      meter.count("kvDeletes", dropped);
      return dropped;
    },
  };
}

function meterQueue(queue: ResumeQueue, meter: UsageMeter): ResumeQueue {
  return {
    async send(message, delayMs) {
      meter.count("queueOperations", OPERATIONS_PER_MESSAGE);
      await queue.send(message, delayMs);
    },
    backlog: () => queue.backlog(),
  };
}

/** On Cloudflare the hub is a Durable Object: each publish and each new subscriber is a request. */
function meterHub(hub: LiveHub, meter: UsageMeter): LiveHub {
  const { takePlace } = hub;
  return {
    async publish(topic, data) {
      meter.count("durableObjectRequests");
      await hub.publish(topic, data);
    },
    async subscribe(topic, lastEventId, deliver) {
      meter.count("durableObjectRequests");
      return await hub.subscribe(topic, lastEventId, deliver);
    },
    ...(takePlace === undefined
      ? {}
      : {
          async takePlace(name: string, places: number) {
            meter.count("durableObjectRequests");
            return await takePlace(name, places);
          },
        }),
  };
}
