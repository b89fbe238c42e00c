import type { Runtime } from "#service/platform.ts";

/** What one run of an archive may take of the platform's limits (docs/decisions/0060-cloudflare-host.md#slices). */
export const SLICE = {
  /**
   * Segments and parts in memory: the largest part and two segments (docs/twitch.md#segments). With
   * 9 MB for the service itself, an isolate holds less than 80 of its 128 MB, which leaves the rest
   * for garbage: bench/workerd/isolate-memory.test.ts
   * (developers.cloudflare.com/workers/platform/limits).
   */
  smallestPartBytes: 8 * 1024 * 1024,
  copyBufferBytes: 52 * 1024 * 1024,
  /**
   * The largest part, or four of the usual ones. Five requests of 100 MB at a time hold less than 80
   * of the isolate's 128 MB (bench/workerd/isolate-memory.test.ts).
   */
  bodyBufferBytes: 32 * 1024 * 1024,
  /**
   * Six connections may await an answer at a time; the others belong to a part on its way to R2,
   * the database and the hub.
   */
  connectionsPerArchive: 3,
  /**
   * A Worker may be replaced with 30 s notice; what is cut then costs a checkpoint's worth. A
   * minute keeps the cost of changing over below one in a hundred.
   */
  sliceMs: 60_000,
  /** Queue consumers end after 15 minutes (developers.cloudflare.com/queues/platform/limits). */
  longestRunMs: 12 * 60_000,
  /** Seven segments of ten seconds at 8 Mb/s: D1 has one writer, and bills each row. */
  checkpointBytes: 64 * 1024 * 1024,
  /** As often as the lease has to be renewed in any case. */
  progressEveryMs: 5_000,
} satisfies Partial<Runtime>;
