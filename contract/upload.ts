import * as z from "zod/mini";
import { chatStateSchema } from "./chat-state.ts";
import { fileStatusSchema, objectKeySchema } from "./files.ts";
import { uploadIdSchema, userIdSchema } from "./ids.ts";
import { partSchema } from "./part.ts";
import { qualitySchema, withheldRenditionSchema } from "./quality.ts";
import { instantSchema, percentageSchema, sizeBytesSchema } from "./values.ts";

export const UPLOAD_STATUSES = [
  "pending",
  "processing",
  "completed",
  "failed",
  "cancelled",
] as const;
export const uploadStatusSchema = z.enum(UPLOAD_STATUSES);
export type UploadStatus = z.infer<typeof uploadStatusSchema>;

/** Where an upload comes from: a source to archive from, or a person's own files. */
export const uploadKindSchema = z.enum(["twitch", "url", "manual"]);
export type UploadKind = z.infer<typeof uploadKindSchema>;

/**
 * Classes of failure that an operator can act on. `try_later`: the attempts were used up while the
 * source stayed down; a retry may succeed.
 */
export const FAILURE_CLASSES = [
  "try_later",
  "gone_at_source",
  "needs_entitlement",
  "source_corrupt",
  "storage",
  "ours",
] as const;
export const failureClassSchema = z.enum(FAILURE_CLASSES);
export type FailureClass = z.infer<typeof failureClassSchema>;

/**
 * Failures that a retry cannot fix. A retry is accepted, but they are neither counted nor offered
 * as retryable.
 */
export const FUTILE_RETRIES: readonly FailureClass[] = ["gone_at_source"];

/** The step of a running upload. `proving` comes after the last byte and before `completed`. */
export const uploadPhaseSchema = z.enum(["planning", "copying", "waiting", "proving"]);
export type UploadPhase = z.infer<typeof uploadPhaseSchema>;

/** A range of the VOD's own time, in seconds from its start. */
export const timeRangeSchema = z.object({ startSec: z.number(), endSec: z.number() });
export type TimeRange = z.infer<typeof timeRangeSchema>;

export const publicProfileSchema = z.object({
  userId: userIdSchema,
  twitchId: z.string(),
  username: z.string(),
  displayName: z.string(),
  profileImageUrl: z.nullable(z.string()),
});
export type PublicProfile = z.infer<typeof publicProfileSchema>;

const debugInfoSchema = z.object({
  isStalled: z.boolean(),
  /** The cause of a stall, as a sentence. */
  stallReason: z.nullable(z.string()),
  internalVodId: z.string(),
  twitchVodId: z.nullable(z.string()),
  /** Only of a direct URL: its host and path, without its query. */
  sourceAddress: z.optional(z.string()),
  timeStarted: z.nullable(instantSchema),
  lastSegmentTime: z.nullable(instantSchema),
  lastSegmentProcessed: z.nullable(z.int()),
  chatFileId: z.nullable(z.string()),
  progressHistory: z.array(z.object({ timestamp: instantSchema, percentage: percentageSchema })),
  initiatedBy: z.nullable(publicProfileSchema),
  /** Started by a channel's rule; `initiatedBy` is then the rule's author. */
  byRule: z.boolean(),
  /** From when the source may delete the VOD; null if that is not known. */
  dangerAt: z.nullable(instantSchema),
  sessionInfo: z.object({
    createdAt: instantSchema,
    startedAt: z.nullable(instantSchema),
    retryCount: z.int(),
    maxRetries: z.int(),
    error: z.nullable(z.string()),
  }),
});

export const uploadSchema = z.object({
  id: uploadIdSchema,
  /** Incremented with every change of the row: the larger of two versions is newer. */
  version: z.int(),
  kind: uploadKindSchema,
  filename: z.string(),
  /** What of the VOD is archived; null for all of it. Its title says so, too. */
  part: z.nullable(partSchema),
  status: uploadStatusSchema,
  phase: z.nullable(uploadPhaseSchema),
  progress: percentageSchema,
  /** What was asked for; `metadata.rendition` is what that gave. */
  quality: qualitySchema,
  /** Size of the source in bytes: an estimate until all of it is known, then exact. */
  originalSize: z.nullable(sizeBytesSchema),
  originalSizeIsEstimate: z.boolean(),
  /** Bytes that the store has confirmed. */
  processedSize: sizeBytesSchema,
  createdAt: instantSchema,
  /** When the broadcast began; null if the source does not say. */
  recordedAt: z.nullable(instantSchema),
  startedAt: z.nullable(instantSchema),
  completedAt: z.nullable(instantSchema),
  failedAt: z.nullable(instantSchema),
  errorMessage: z.nullable(z.string()),
  failureClass: z.nullable(failureClassSchema),
  /** When a waiting upload is retried. */
  nextAttemptAt: z.nullable(instantSchema),
  /** In answers, not in events: the place of an archive that waits only for a slot, from 1. */
  queuePlace: z.optional(z.int()),
  userId: userIdSchema,
  owner: z.nullable(publicProfileSchema),
  retryCount: z.int().check(z.nonnegative()),
  maxRetries: z.int().check(z.nonnegative()),
  /** Bytes per second over the last few seconds; null when nothing is being copied. */
  uploadSpeed: z.nullable(z.number()),
  /** Seconds. */
  estimatedTimeRemaining: z.nullable(z.number()),
  metadata: z.object({
    streamTitle: z.nullable(z.string()),
    /** E.g. "1080p60"; null before the source was asked, and for files. */
    rendition: z.nullable(z.string()),
    /** A better rendition that the source did not let this service play. */
    withheldRendition: z.nullable(withheldRenditionSchema),
    segmentsDownloaded: z.int(),
    totalSegments: z.nullable(z.int()),
    durationSec: z.nullable(z.number()),
    /** The broadcast goes on, so that `durationSec` and `totalSegments` are those of its part so far. */
    isLive: z.boolean(),
    /**
     * What the source states, if its playlist stayed shorter by more than ten seconds; then
     * `durationSec` is the playlist's.
     */
    statedDurationSec: z.nullable(z.number()),
    mutedRanges: z.array(timeRangeSchema),
    missingRanges: z.array(timeRangeSchema),
  }),
  /** Key of the stored object, once it is visible in the File Browser. */
  fileKey: z.nullable(objectKeySchema),
  /**
   * Status of the stored object; null if there is none, while its parts are unfinished, and after
   * its deletion.
   */
  fileStatus: z.nullable(fileStatusSchema),
  /** It is in the trash, from which it is deleted later. */
  isFileTrashed: z.boolean(),
  /** Whether `getThumbnail` and `getStoryboard` have an answer. */
  hasThumbnail: z.boolean(),
  hasStoryboard: z.boolean(),
  /** The chat replay is read beside the video, and after it; `completed` does not wait for it. */
  chat: chatStateSchema,
  costUsd: z.nullable(z.number()),
  debugInfo: debugInfoSchema,
});
export type Upload = z.infer<typeof uploadSchema>;
