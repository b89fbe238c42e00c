import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { Row } from "#service/ports/database.ts";
import { dueUploads } from "#service/storage/lease.ts";
import { checkStoredVod } from "#service/storage/upload-vod.ts";
import type { Timeline } from "../simulate/timeline.ts";
import { MINUTE_MS, type PlannedVod } from "./month-plan.ts";

/** Six megabits a second. */
const BYTES_PER_MS = 750;
const LOOK_EVERY_MS = MINUTE_MS;
/** Longer than the archiver waits, which would take most of the rig's time. */
const GROWTH_MS = 5 * MINUTE_MS;
/** Of leases that no other runner takes. */
const FOR_EVER_MS = 8e15;

/**
 * Copies uploads with a given bandwidth instead of the archiver, and leaves their rows as it does.
 * `slots` copy at the same time, each `speed` times as fast as a VOD plays. Each takes the first of
 * {@link dueUploads}.
 */
export function startCopier(parts: {
  readonly timeline: Timeline;
  readonly platform: Pick<Platform, "clock" | "database" | "runtime">;
  readonly slots: number;
  readonly speed: number;
  /** Puts an object into the store. */
  readonly keepObject: (key: ObjectKey, sizeBytes: number) => void;
  readonly findVod: (vodId: string) => PlannedVod | null;
}) {
  const { timeline, platform, findVod, speed } = parts;
  const { database } = platform;
  const copiedMs = new Map<string, number>();
  let picks = 0;
  let freeSlots = parts.slots;

  async function look(): Promise<void> {
    timeline.at(LOOK_EVERY_MS, look);
    const idle = freeSlots;
    for (let slot = 0; slot < idle; slot += 1) if (!(await work())) return;
  }

  /** Takes the first upload, if one is due. */
  async function work(): Promise<boolean> {
    const [id = null] = await dueUploads(platform, null, 1);
    const [row] = await database.all(sql`SELECT id, vod_id FROM uploads WHERE id = ${id}`);
    if (row !== undefined) await copy(row);
    return row !== undefined;
  }

  function end(atMs: number, record: () => Promise<void>): void {
    freeSlots -= 1;
    timeline.at(atMs - timeline.now(), async () => {
      await record();
      freeSlots += 1;
      await work();
    });
  }

  async function copy(row: Row): Promise<void> {
    picks += 1;
    const id = String(row.id);
    const vod = findVod(String(row.vod_id));
    await database.run(sql`UPDATE uploads SET status = 'processing', phase = 'copying',
      lease_until = ${FOR_EVER_MS}, next_attempt_at = NULL WHERE id = ${id}`);
    const before = copiedMs.get(id) ?? 0;
    const there = Math.min(vod?.durationMs ?? 0, timeline.now() - (vod?.startsAtMs ?? 0));
    const untilMs = timeline.now() + (there - before) / speed;
    if (vod === null || vod.goneAtMs <= untilMs) {
      end(vod?.goneAtMs ?? 0, () => fail(id));
      return;
    }
    copiedMs.set(id, there);
    end(untilMs, () => (there === vod.durationMs ? complete(row, vod) : waitForGrowth(id)));
  }

  async function fail(id: string): Promise<void> {
    await database.run(sql`UPDATE uploads SET status = 'failed', phase = NULL, lease_until = NULL,
      is_live = 0, failure_class = 'gone_at_source', failed_at = ${timeline.now()},
      error_message = 'The source has deleted this VOD.' WHERE id = ${id}`);
  }

  async function waitForGrowth(id: string): Promise<void> {
    await database.run(sql`UPDATE uploads SET phase = 'waiting', lease_until = NULL, is_live = 1,
      next_attempt_at = ${timeline.now() + GROWTH_MS} WHERE id = ${id}`);
  }

  async function complete(row: Row, vod: PlannedVod): Promise<void> {
    const nowMs = timeline.now();
    const sizeBytes = vod.durationMs * BYTES_PER_MS;
    const key = objectKeySchema.parse(`vods/${vod.channel.id}/${String(row.id)}/archive.ts`);
    parts.keepObject(key, sizeBytes);
    await database.batch([
      sql`UPDATE uploads SET status = 'completed', phase = NULL, lease_until = NULL, is_live = 0,
        progress = 100, source_bytes = ${sizeBytes}, stored_bytes = ${sizeBytes},
        duration_sec = ${vod.durationMs / 1_000},
        object_key = ${key}, completed_at = ${nowMs} WHERE id = ${row.id ?? null}`,
      sql`INSERT INTO files (object_key, upload_id, user_id, vod_id, filename, size_bytes,
          upload_type, status, content_type, metadata, last_modified_at, recorded_at)
        VALUES (${key}, ${row.id ?? null}, ${vod.channel.id}, ${row.vod_id ?? null}, 'archive.ts',
          ${sizeBytes}, 'twitch', 'complete', 'video/mp2t', '{}', ${nowMs}, ${vod.startsAtMs})`,
      ...checkStoredVod(String(row.id)),
    ]);
  }

  timeline.at(LOOK_EVERY_MS, look);
  return {
    get picks() {
      return picks;
    },
  };
}
