import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import type { Upload } from "#contract/upload.ts";
import type { uploadWork } from "#contract/uploads.ts";
import { dayStartMs } from "./day-start.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { isLeasedAt, readUpload, selectUpload } from "#service/storage/upload-row.ts";
import { readQueue, type Queue } from "./queue-place.ts";

/** As many as a list's page shows. */
const RUNNING_SHOWN = 20;
const NEXT_SHOWN = 5;

/** Rows whose lengths are added up; the lengths of further ones count as unknown. */
const MOST_MEASURED = 1_000;

/** Costs about the same however many uploads have ended. */
export async function readUploadWork(
  platform: Platform,
  dayStart?: string,
): Promise<DataOf<typeof uploadWork>> {
  const [figures, queue] = await Promise.all([
    readFigures(platform, dayStart),
    readQueue(platform),
  ]);
  return { ...figures, uploads: await readShown(platform, queue) };
}

const figuresRow = z.object({
  live: z.number(),
  running: z.number(),
  waiting: z.number(),
  failedToday: z.number(),
  unmeasured: z.number(),
  wanted: z.number(),
  bytesPerSecond: z.nullable(z.number()),
  /** The time that the slowest running upload needs alone. */
  longestSec: z.nullable(z.number()),
  bytesLeft: z.nullable(z.number()),
  unknown: z.number(),
});

/** A broadcast that goes on neither runs nor waits: it is read for as long as it lasts. */
const IS_LIVE = sql`(u.is_live AND u.phase <> 'proving')`;

/** A length in seconds is taken as bytes at the mean bit rate of what runs. */
async function readFigures({ database, clock }: Platform, dayStart?: string) {
  const nowMs = clock.now();
  const [row] = await database.all(sql`
    WITH
      open AS MATERIALIZED (
        SELECT u.status, ${isLeasedAt(nowMs)} AS is_running, u.source_bytes, u.duration_sec,
          u.source_bytes - u.stored_bytes AS bytes_left,
          iif(u.phase = 'copying', u.speed_bytes_per_sec, NULL) AS speed
        FROM uploads u INDEXED BY uploads_status
        WHERE u.status = 'processing' AND NOT ${IS_LIVE} AND (u.kind <> 'manual' OR ${isLeasedAt(nowMs)})
        UNION ALL
        SELECT * FROM (
          SELECT u.status, FALSE, u.source_bytes, u.duration_sec, u.source_bytes, NULL
          FROM uploads u INDEXED BY uploads_status
          WHERE u.status = 'pending' LIMIT ${MOST_MEASURED})),
      pace AS (
        SELECT sum(source_bytes) / sum(duration_sec) AS bytes_per_sec FROM open
        WHERE is_running AND source_bytes > 0 AND duration_sec > 0),
      needed AS (
        SELECT open.*, coalesce(bytes_left,
          iif(is_running, NULL, duration_sec * (SELECT bytes_per_sec FROM pace))) AS bytes
        FROM open)
    SELECT (SELECT count(*) FROM uploads u INDEXED BY uploads_status
        WHERE u.status = 'processing' AND ${IS_LIVE}) AS live,
      coalesce(sum(is_running), 0) AS running,
      count(*) - coalesce(sum(is_running), 0) AS waiting,
      (SELECT coalesce(sum(uploads), 0) FROM upload_counts WHERE status = 'pending')
        - coalesce(sum(status = 'pending'), 0) AS unmeasured,
      (SELECT count(*) FROM vod_states
        WHERE next_start_at IS NOT NULL AND gone_at IS NULL AND state = 'wanted'
          AND ifnull(upload_status, 'failed') = 'failed') AS wanted,
      sum(iif(is_running, speed, NULL)) AS bytesPerSecond,
      max(iif(is_running AND speed > 0, bytes / speed, NULL)) AS longestSec,
      sum(max(bytes, 0)) AS bytesLeft, count(*) - count(bytes) AS unknown,
      (SELECT count(*) FROM uploads INDEXED BY uploads_failed
        WHERE status = 'failed' AND failed_at >= ${dayStartMs(dayStart, nowMs)}) AS failedToday
    FROM needed`);
  const { unmeasured, wanted, unknown, bytesLeft, longestSec, ...figures } = figuresRow.parse(row);
  const bytesPerSecond = figures.bytesPerSecond ?? 0;
  return {
    ...figures,
    waiting: figures.waiting + unmeasured + wanted,
    bytesPerSecond,
    secondsLeft:
      bytesPerSecond > 0 ? Math.max((bytesLeft ?? 0) / bytesPerSecond, longestSec ?? 0) : null,
    unknownLengths: unknown + unmeasured + wanted,
  };
}

async function readShown({ database, clock }: Platform, queue: Queue): Promise<Upload[]> {
  const nowMs = clock.now();
  const next: readonly string[] = queue.order.slice(0, NEXT_SHOWN);
  const rows = await database.all(sql`${selectUpload(nowMs)}
    WHERE u.seq IN (
      SELECT seq FROM uploads WHERE id IN (SELECT value FROM json_each(${JSON.stringify(next)}))
      UNION ALL SELECT u.seq FROM uploads u INDEXED BY uploads_status
        WHERE u.status = 'processing' AND ${isLeasedAt(nowMs)})
    ORDER BY u.seq`);
  const found = rows.map(readUpload);
  const waiting = next.flatMap((id) => found.filter((upload) => upload.id === id));
  const running = found
    .filter(({ id }) => !next.includes(id))
    .sort((left, right) => endOf(left) - endOf(right));
  return [...running.slice(0, RUNNING_SHOWN), ...queue.place(waiting)];
}

/** When it ends, in steps of about two fifths: uploads that end about together keep their order. */
function endOf({ estimatedTimeRemaining }: Upload): number {
  return estimatedTimeRemaining === null
    ? Infinity
    : Math.floor(2 * Math.log2(1 + estimatedTimeRemaining));
}
