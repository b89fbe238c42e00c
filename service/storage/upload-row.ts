import * as z from "zod/mini";
import { fileStatusSchema } from "#contract/files.ts";
import { twitchUserIdSchema, uploadIdSchema, userIdSchema, type UploadId } from "#contract/ids.ts";
import { PROGRESS_HISTORY_LENGTH } from "#contract/limits.ts";
import {
  failureClassSchema,
  timeRangeSchema,
  uploadKindSchema,
  uploadPhaseSchema,
  uploadStatusSchema,
  type PublicProfile,
  type Upload,
} from "#contract/upload.ts";
import { uploadCostUsd } from "#service/costs/archive-cost.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row } from "#service/ports/database.ts";

export const historySchema = z.array(z.object({ at: z.number(), percentage: z.number() }));

/** The columns of `uploads` that make up an Upload, without those only the archiver uses. */
const uploadColumns = {
  id: uploadIdSchema,
  version: z.number(),
  kind: uploadKindSchema,
  vod_id: z.nullable(z.string()),
  source_url: z.nullable(z.string()),
  filename: z.string(),
  title: z.nullable(z.string()),
  owner_id: userIdSchema,
  status: uploadStatusSchema,
  phase: z.nullable(uploadPhaseSchema),
  progress: z.number(),
  source_bytes: z.nullable(z.number()),
  source_bytes_estimated: z.number(),
  stored_bytes: z.number(),
  segments_done: z.number(),
  segments_total: z.nullable(z.number()),
  duration_sec: z.nullable(z.number()),
  speed_bytes_per_sec: z.nullable(z.number()),
  last_segment: z.nullable(z.number()),
  last_segment_at: z.nullable(z.number()),
  progress_history: jsonText(historySchema),
  muted_ranges: jsonText(z.array(timeRangeSchema)),
  missing_ranges: jsonText(z.array(timeRangeSchema)),
  failure_class: z.nullable(failureClassSchema),
  error_message: z.nullable(z.string()),
  next_attempt_at: z.nullable(z.number()),
  retry_count: z.number(),
  max_retries: z.number(),
  stalled_at: z.nullable(z.number()),
  stall_reason: z.nullable(z.string()),
  created_at: z.number(),
  started_at: z.nullable(z.number()),
  completed_at: z.nullable(z.number()),
  failed_at: z.nullable(z.number()),
  object_key: z.nullable(z.string()),
  chat_key: z.nullable(z.string()),
  has_thumbnail: z.number(),
  has_storyboard: z.number(),
  part_size_bytes: z.nullable(z.number()),
};

/** A row of `uploads` with its file's status, joined with the public profiles of its owner and initiator. */
const uploadRowSchema = z.object({
  ...uploadColumns,
  file_status: z.nullable(fileStatusSchema),
  owner_login: z.nullable(z.string()),
  owner_display_name: z.nullable(z.string()),
  owner_image: z.nullable(z.string()),
  initiator_id: z.nullable(userIdSchema),
  initiator_login: z.nullable(z.string()),
  initiator_display_name: z.nullable(z.string()),
  initiator_image: z.nullable(z.string()),
});

const selectList = Object.keys(uploadColumns)
  .map((column) => `u.${column}`)
  .join(", ");

/** SELECT list and joins for {@link readUpload}; append WHERE and ORDER BY. */
export const SELECT_UPLOAD = sql`
  SELECT ${{ sql: selectList, values: [] }},
    (SELECT f.status FROM files f WHERE f.upload_id = u.id AND f.upload_type <> 'chunk'
      LIMIT 1) AS file_status,
    o.login AS owner_login, o.display_name AS owner_display_name, o.profile_image_url AS owner_image,
    i.id AS initiator_id, i.login AS initiator_login, i.display_name AS initiator_display_name,
    i.profile_image_url AS initiator_image
  FROM uploads u
  LEFT JOIN users o ON o.id = u.owner_id
  LEFT JOIN users i ON i.id = u.initiated_by`;

export async function findUpload(database: Database, uploadId: string): Promise<Upload | null> {
  const [row] = await database.all(sql`${SELECT_UPLOAD} WHERE u.id = ${uploadId}`);
  return row === undefined ? null : readUpload(row);
}

/** The newest uploads, in order of creation, for a client that reconnects. */
export async function newestUploads(database: Database, count: number): Promise<readonly Upload[]> {
  const rows = await database.all(sql`${SELECT_UPLOAD} ORDER BY u.seq DESC LIMIT ${count}`);
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
  const upload = uploadRowSchema.parse(row);
  const isRunning = upload.status === "processing";
  const speed = isRunning ? upload.speed_bytes_per_sec : null;
  return {
    id: upload.id,
    version: upload.version,
    kind: upload.kind,
    filename: upload.filename,
    status: upload.status,
    phase: isRunning ? upload.phase : null,
    progress: upload.progress,
    originalSize: upload.source_bytes,
    originalSizeIsEstimate: upload.source_bytes_estimated === 1,
    processedSize: upload.stored_bytes,
    createdAt: instant(upload.created_at),
    startedAt: instantOrNull(upload.started_at),
    completedAt: instantOrNull(upload.completed_at),
    failedAt: instantOrNull(upload.failed_at),
    errorMessage: upload.error_message,
    failureClass: upload.failure_class,
    nextAttemptAt: isOpen(upload.status) ? instantOrNull(upload.next_attempt_at) : null,
    userId: upload.owner_id,
    owner: profile(
      upload.owner_id,
      upload.owner_login,
      upload.owner_display_name,
      upload.owner_image,
    ),
    retryCount: upload.retry_count,
    maxRetries: upload.max_retries,
    uploadSpeed: speed,
    estimatedTimeRemaining: secondsLeft(upload.source_bytes, upload.stored_bytes, speed),
    metadata: {
      streamTitle: upload.title,
      segmentsDownloaded: upload.segments_done,
      totalSegments: upload.segments_total,
      durationSec: upload.duration_sec,
      mutedRanges: upload.muted_ranges,
      missingRanges: upload.missing_ranges,
    },
    fileKey: upload.object_key,
    fileStatus: upload.file_status,
    hasThumbnail: upload.has_thumbnail === 1,
    hasStoryboard: upload.has_storyboard === 1,
    costUsd: uploadCostUsd(upload.stored_bytes, upload.part_size_bytes),
    debugInfo: {
      isStalled: isRunning && upload.stalled_at !== null,
      stallReason: isRunning ? upload.stall_reason : null,
      internalVodId: upload.id,
      twitchVodId: upload.kind === "twitch" ? upload.vod_id : null,
      ...(upload.source_url === null
        ? {}
        : { sourceAddress: addressWithoutQuery(upload.source_url) }),
      timeStarted: instantOrNull(upload.started_at),
      lastSegmentTime: instantOrNull(upload.last_segment_at),
      lastSegmentProcessed: upload.last_segment,
      chatFileId: upload.chat_key,
      progressHistory: upload.progress_history
        .slice(-PROGRESS_HISTORY_LENGTH)
        .map((entry) => ({ timestamp: instant(entry.at), percentage: entry.percentage })),
      initiatedBy: profile(
        upload.initiator_id,
        upload.initiator_login,
        upload.initiator_display_name,
        upload.initiator_image,
      ),
      sessionInfo: {
        createdAt: instant(upload.created_at),
        startedAt: instantOrNull(upload.started_at),
        retryCount: upload.retry_count,
        maxRetries: upload.max_retries,
        error: upload.error_message,
      },
    },
  };
}

function isOpen(status: Upload["status"]): boolean {
  return status === "pending" || status === "processing";
}

/** The query may contain a token. */
function addressWithoutQuery(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : instant(ms);
}

function secondsLeft(
  sourceBytes: number | null,
  storedBytes: number,
  bytesPerSec: number | null,
): number | null {
  if (sourceBytes === null || bytesPerSec === null || bytesPerSec <= 0) return null;
  return Math.max(0, (sourceBytes - storedBytes) / bytesPerSec);
}

function profile(
  userId: PublicProfile["userId"] | null,
  login: string | null,
  displayName: string | null,
  profileImageUrl: string | null,
): PublicProfile | null {
  if (userId === null || login === null || displayName === null) return null;
  return {
    userId,
    twitchId: twitchUserIdSchema.parse(userId),
    username: login,
    displayName,
    profileImageUrl,
  };
}
