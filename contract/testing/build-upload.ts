import { uploadSchema, type Upload } from "../upload.ts";

let counter = 0;

/** A pending upload that is valid by the contract; each is a second newer than the previous one. */
export function buildUpload(
  overrides: Partial<Omit<Upload, "id" | "fileKey">> & {
    id?: string;
    fileKey?: string | null;
  } = {},
): Upload {
  counter += 1;
  const createdAt = new Date(Date.UTC(2026, 0, 1) + counter * 1_000).toISOString();
  return uploadSchema.parse({
    id: `upload${counter}`,
    version: 1,
    kind: "twitch",
    filename: `streamer-${counter}.ts`,
    status: "pending",
    quality: "best",
    phase: null,
    progress: 0,
    originalSize: null,
    originalSizeIsEstimate: true,
    processedSize: 0,
    createdAt,
    recordedAt: null,
    startedAt: null,
    completedAt: null,
    failedAt: null,
    errorMessage: null,
    failureClass: null,
    nextAttemptAt: null,
    userId: "user1",
    owner: null,
    retryCount: 0,
    maxRetries: 3,
    uploadSpeed: null,
    estimatedTimeRemaining: null,
    metadata: {
      streamTitle: null,
      rendition: null,
      withheldRendition: null,
      segmentsDownloaded: 0,
      totalSegments: null,
      durationSec: null,
      isLive: false,
      statedDurationSec: null,
      mutedRanges: [],
      missingRanges: [],
    },
    fileKey: null,
    fileStatus: null,
    hasThumbnail: false,
    hasStoryboard: false,
    chat: { state: "none", untilSec: null, shortSeconds: [] },
    costUsd: null,
    debugInfo: {
      isStalled: false,
      stallReason: null,
      internalVodId: `vod${counter}`,
      twitchVodId: null,
      timeStarted: null,
      lastSegmentTime: null,
      lastSegmentProcessed: null,
      chatFileId: null,
      progressHistory: [],
      initiatedBy: null,
      byRule: false,
      dangerAt: null,
      sessionInfo: { createdAt, startedAt: null, retryCount: 0, maxRetries: 3, error: null },
    },
    ...overrides,
  });
}
