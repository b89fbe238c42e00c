import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { recordProbe, type ProbeResult } from "./health-store.ts";

/** The archive workers' sign of life: each finished sweep leaves one, on whichever host it ran. */
export type WorkerHeartbeat = {
  beat(): Promise<void>;
  /** @throws when there has been no sign of life for too long */
  probe(): Promise<ProbeResult>;
};

const NAME = "archive workers";

/** Sweeps come every few seconds; writing each would only cost rows. */
const BEAT_EVERY_MS = 10_000;

const ALIVE: ProbeResult = { status: "healthy", detail: null };

/** A sweep may wait on a slow store for a while. */
const SILENT_AFTER_MS = 60_000;

export function createWorkerHeartbeat({
  database,
  clock,
  runtime,
}: Pick<Platform, "database" | "clock" | "runtime">): WorkerHeartbeat {
  let lastBeatMs = -Infinity;
  return {
    async beat() {
      if (clock.monotonic() - lastBeatMs < BEAT_EVERY_MS) return;
      const isFirst = lastBeatMs === -Infinity;
      lastBeatMs = clock.monotonic();
      await database.run(sql`
        INSERT INTO heartbeats (name, at) VALUES (${NAME}, ${clock.now()})
        ON CONFLICT (name) DO UPDATE SET at = excluded.at`);
      // The first sign of life after a start does not wait for the next round of probes.
      if (isFirst) await recordProbe(database, "workers", ALIVE, clock.now());
    },

    async probe() {
      const [row] = await database.all(sql`SELECT at FROM heartbeats WHERE name = ${NAME}`);
      const lastAt = Math.max(Number(row?.at ?? 0), runtime.startedAt.getTime());
      const silentMs = clock.now() - lastAt;
      if (silentMs > SILENT_AFTER_MS)
        throw new Error(
          `The archive workers were last heard of ${Math.round(silentMs / 1_000)} s ago.`,
        );
      return Number(row?.at ?? 0) >= runtime.startedAt.getTime()
        ? ALIVE
        : { status: "unknown", detail: "The archive workers have not reported yet." };
    },
  };
}
