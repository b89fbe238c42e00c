import * as z from "zod/mini";
import { chatStateSchema } from "#contract/chat-state.ts";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { PROGRESS_HISTORY_LENGTH } from "#contract/limits.ts";
import { withheldRenditionSchema } from "#contract/quality.ts";
import {
  publicProfileSchema,
  timeRangeSchema,
  uploadSchema,
  uploadStatusSchema,
  type Upload,
} from "#contract/upload.ts";
import { uploadCostUsd } from "#service/costs/archive-cost.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { isPast } from "#service/db/due-time.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import { partOf, vodOf } from "./item-id.ts";
import type { Platform } from "#service/platform.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";

export const historySchema = z.array(z.object({ at: z.number(), percentage: z.number() }));

type Reads = Pick<Platform, "database" | "clock">;

const profileColumn = z.nullable(jsonText(publicProfileSchema));
const IS_PROCESSING = sql`u.status = 'processing'`;

/** An upload in the contract's form, and what its calculated fields are made of. */
const uploadRow = z.object({
  ...z.omit(uploadSchema, {
    part: true,
    metadata: true,
    costUsd: true,
    estimatedTimeRemaining: true,
    debugInfo: true,
  }).shape,
  originalSizeIsEstimate: flagColumn,
  createdAt: instantColumn,
  recordedAt: z.nullable(instantColumn),
  startedAt: z.nullable(instantColumn),
  completedAt: z.nullable(instantColumn),
  failedAt: z.nullable(instantColumn),
  nextAttemptAt: z.nullable(instantColumn),
  owner: profileColumn,
  chat: jsonText(chatStateSchema),
  isFileTrashed: flagColumn,
  hasThumbnail: flagColumn,
  hasStoryboard: flagColumn,
  partSizeBytes: z.nullable(z.number()),
  sourceUrl: z.nullable(z.string()),
  updatedAt: z.number(),
});

const metadataRow = z.extend(uploadSchema.shape.metadata, {
  isLive: flagColumn,
  mutedRanges: jsonText(z.array(timeRangeSchema)),
  missingRanges: jsonText(z.array(timeRangeSchema)),
  withheldRendition: z.nullable(jsonText(withheldRenditionSchema)),
});

const debugRow = z.extend(
  z.omit(uploadSchema.shape.debugInfo, { sessionInfo: true, sourceAddress: true }),
  {
    isStalled: flagColumn,
    timeStarted: z.nullable(instantColumn),
    lastSegmentTime: z.nullable(instantColumn),
    progressHistory: jsonText(historySchema),
    initiatedBy: profileColumn,
    byRule: flagColumn,
    dangerAt: z.nullable(instantColumn),
  },
);

/** The contract's form of the row `c` of a chat, which may be missing. */
export const CHAT_STATE = sql`json_object('state', coalesce(c.state, 'none'), 'untilSec',
  CASE c.state WHEN 'reading' THEN c.read_until_sec ELSE c.stored_until_sec END, 'shortSeconds',
  json(CASE c.state WHEN 'reading' THEN c.short_seconds ELSE ifnull(c.stored_short_seconds, '[]') END))`;

/** Whether a runner has the upload `u` at this time. */
export function isLeasedAt(nowMs: number): Statement {
  return sql`(u.lease_owner IS NOT NULL AND NOT ${isPast(sql`u.lease_until`, nowMs)})`;
}

/** SELECT list and joins for {@link readUpload} at a time; append WHERE and ORDER BY. */
export function selectUpload(nowMs: number): Statement {
  // Between two runs, or after a crash. A manual upload has a runner only while its client sends.
  const awaitsPlace = sql`(${IS_PROCESSING} AND u.kind <> 'manual' AND u.phase <> 'waiting'
    AND NOT ${isLeasedAt(nowMs)})`;
  const phase = sql`CASE WHEN ${awaitsPlace} THEN 'waiting' WHEN ${IS_PROCESSING} THEN u.phase END`;
  return sql`
  SELECT u.id, u.version, u.kind, u.filename, u.status, u.quality, u.progress,
    ${phase} AS phase,
    u.source_bytes AS originalSize, u.source_bytes_estimated AS originalSizeIsEstimate,
    u.stored_bytes AS processedSize, u.created_at AS createdAt, u.recorded_at AS recordedAt, u.started_at AS startedAt,
    u.completed_at AS completedAt, u.failed_at AS failedAt,
    iif(${awaitsPlace}, 'Waiting for a place.', u.error_message) AS errorMessage,
    u.failure_class AS failureClass,
    CASE WHEN u.status IN ('pending', 'processing') THEN u.next_attempt_at END AS nextAttemptAt,
    u.owner_id AS userId, ${profileOf(sql`o`)} AS owner,
    u.retry_count AS retryCount, u.max_retries AS maxRetries,
    CASE WHEN ${phase} = 'copying' THEN u.speed_bytes_per_sec END AS uploadSpeed,
    u.object_key AS fileKey,
    (SELECT f.status FROM files f WHERE f.upload_id = u.id AND f.upload_type <> 'chunk'
      LIMIT 1) AS fileStatus,
    EXISTS (SELECT 1 FROM files f WHERE f.object_key = u.object_key AND f.trash_until IS NOT NULL)
      AS isFileTrashed,
    ${CHAT_STATE} AS chat,
    u.has_thumbnail AS hasThumbnail, u.has_storyboard AS hasStoryboard,
    u.part_size_bytes AS partSizeBytes, u.source_url AS sourceUrl,
    u.updated_at AS updatedAt,
    nullif(u.title, '') AS streamTitle, u.rendition, u.withheld_rendition AS withheldRendition, u.segments_done AS segmentsDownloaded,
    u.segments_total AS totalSegments, u.duration_sec AS durationSec,
    (${IS_PROCESSING} AND u.phase <> 'proving' AND u.is_live) AS isLive,
    u.stated_duration_sec AS statedDurationSec, u.muted_ranges AS mutedRanges, u.missing_ranges AS missingRanges,
    ${IS_PROCESSING} AND u.stalled_at IS NOT NULL AS isStalled,
    CASE WHEN ${IS_PROCESSING} THEN u.stall_reason END AS stallReason, u.id AS internalVodId,
    CASE u.kind WHEN 'twitch' THEN u.vod_id END AS twitchVodId, u.started_at AS timeStarted,
    u.last_segment_at AS lastSegmentTime, u.last_segment AS lastSegmentProcessed,
    u.chat_key AS chatFileId, u.progress_history AS progressHistory,
    ${profileOf(sql`i`)} AS initiatedBy, u.by_rule AS byRule, u.danger_at AS dangerAt
  FROM uploads u
  LEFT JOIN chats c ON c.upload_id = u.id
  LEFT JOIN users o ON o.id = u.owner_id
  LEFT JOIN users i ON i.id = u.initiated_by`;
}

function profileOf(user: Statement): Statement {
  return sql`CASE WHEN ${user}.id IS NOT NULL THEN json_object('userId', ${user}.id,
    'twitchId', ${user}.id, 'username', ${user}.login, 'displayName', ${user}.display_name,
    'profileImageUrl', ${user}.profile_image_url) END`;
}

export async function findUpload(
  { database, clock }: Reads,
  uploadId: string,
): Promise<Upload | null> {
  const [row] = await database.all(sql`${selectUpload(clock.now())} WHERE u.id = ${uploadId}`);
  return row === undefined ? null : readUpload(row);
}

/** The newest uploads, in order of creation, for a client that reconnects. */
export async function newestUploads(
  { database, clock }: Reads,
  count: number,
): Promise<readonly Upload[]> {
  const rows = await database.all(
    sql`${selectUpload(clock.now())} ORDER BY u.seq DESC LIMIT ${count}`,
  );
  return rows.map(readUpload).toReversed();
}

export async function newestUploadOfVod(
  database: Database,
  vodId: string,
): Promise<{ id: UploadId; status: Upload["status"] } | null> {
  const [row] = await database.all(
    sql`SELECT id, status FROM uploads WHERE vod_id = ${vodId} ORDER BY seq DESC LIMIT 1`,
  );
  return row === undefined ? null : statusRow.parse(row);
}

const statusRow = z.object({ id: uploadIdSchema, status: uploadStatusSchema });

export function readUpload(row: Row): Upload {
  const { partSizeBytes, sourceUrl, updatedAt, ...upload } = uploadRow.parse(row);
  const debug = debugRow.parse(row);
  const itemId = debug.twitchVodId;
  return {
    ...upload,
    part: partOf(itemId),
    estimatedTimeRemaining: secondsLeft(upload, debug.progressHistory, updatedAt),
    metadata: metadataRow.parse(row),
    costUsd: uploadCostUsd(upload.processedSize, partSizeBytes),
    debugInfo: {
      ...debug,
      twitchVodId: itemId === null ? null : vodOf(itemId),
      ...(sourceUrl === null ? {} : { sourceAddress: addressWithoutQuery(sourceUrl) }),
      progressHistory: debug.progressHistory
        .slice(-PROGRESS_HISTORY_LENGTH)
        .map(({ at, percentage }) => ({ timestamp: new Date(at).toISOString(), percentage })),
      sessionInfo: {
        createdAt: upload.createdAt,
        startedAt: upload.startedAt,
        retryCount: upload.retryCount,
        maxRetries: upload.maxRetries,
        error: upload.errorMessage,
      },
    },
  };
}

/** The query may contain a token. */
function addressWithoutQuery(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** An older entry of the history is from before a pause. */
const HISTORY_GAP_MS = 90_000;

/** A shorter time measures how bursts fall rather than the pace. */
const MEASURED_MS = 30_000;

/**
 * By the pace of the last minutes, because that of the last seconds jumps; by the latter until there
 * is a history.
 */
function secondsLeft(
  {
    progress,
    ...upload
  }: Pick<Upload, "progress" | "originalSize" | "processedSize" | "uploadSpeed">,
  history: z.infer<typeof historySchema>,
  atMs: number,
): number | null {
  const { originalSize, processedSize, uploadSpeed } = upload;
  if (originalSize === null || uploadSpeed === null || uploadSpeed <= 0) return null;
  const recent = history.slice(-PROGRESS_HISTORY_LENGTH);
  const pause = recent.findLastIndex(
    ({ at }, index) => (recent[index + 1]?.at ?? atMs) - at > HISTORY_GAP_MS,
  );
  const first = recent[pause + 1];
  const measuredMs = first === undefined ? 0 : atMs - first.at;
  const gained = progress - (first?.percentage ?? progress);
  if (measuredMs >= MEASURED_MS && gained > 0)
    return ((100 - progress) / gained) * (measuredMs / 1_000);
  return Math.max(0, (originalSize - processedSize) / uploadSpeed);
}
