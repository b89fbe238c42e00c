import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { recordProbe, type ProbeResult } from "./health-store.ts";

/** The heartbeat of the archive workers: recorded after each completed sweep, on any host. */
export type WorkerHeartbeat = {
  beat(): Promise<void>;
  /** @throws when the last heartbeat is too old */
  probe(): Promise<ProbeResult>;
};

const NAME = "archive workers";

/** Sweeps run every few seconds; recording each would waste writes. */
const BEAT_EVERY_MS = 10_000;

const ALIVE: ProbeResult = { status: "healthy", detail: null };

/** Allows for a sweep that waits on a slow store. */
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
      // The first heartbeat after a start is reported without waiting for the next round of probes.
      if (isFirst) await recordProbe(database, "workers", ALIVE, clock.now());
    },

    async probe() {
      const [row] = await database.all(sql`SELECT at FROM heartbeats WHERE name = ${NAME}`);
      const lastAt = Math.max(Number(row?.at ?? 0), runtime.startedAt.getTime());
      const silentMs = clock.now() - lastAt;
      if (silentMs > SILENT_AFTER_MS)
        throw new Error(`The archive workers last reported ${Math.round(silentMs / 1_000)} s ago.`);
      return Number(row?.at ?? 0) >= runtime.startedAt.getTime()
        ? ALIVE
        : { status: "unknown", detail: "The archive workers have not reported yet." };
    },
  };
}
