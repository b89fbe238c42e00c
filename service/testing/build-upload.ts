import { uploadSchema, type Upload } from "#contract/uploads.ts";

/** An upload in the form that the API answers, for tests that need one without a database. */
export function buildUpload(
  some: {
    readonly id?: string;
    readonly version?: number;
    readonly status?: Upload["status"];
  } = {},
): Upload {
  const atIso = "2026-11-20T12:00:00.000Z";
  return uploadSchema.parse({
    id: "upload1",
    version: 1,
    kind: "twitch",
    filename: "pixelpilot-1.ts",
    status: "processing",
    phase: null,
    progress: 0,
    originalSize: null,
    originalSizeIsEstimate: true,
    processedSize: 0,
    createdAt: atIso,
    startedAt: null,
    completedAt: null,
    failedAt: null,
    errorMessage: null,
    failureClass: null,
    nextAttemptAt: null,
    userId: "1005",
    owner: null,
    retryCount: 0,
    maxRetries: 3,
    uploadSpeed: null,
    estimatedTimeRemaining: null,
    metadata: {
      streamTitle: null,
      segmentsDownloaded: 0,
      totalSegments: null,
      durationSec: null,
      mutedRanges: [],
      missingRanges: [],
    },
    fileKey: null,
    costUsd: null,
    debugInfo: {
      isStalled: false,
      stallReason: null,
      internalVodId: "upload1",
      twitchVodId: "1",
      timeStarted: null,
      lastSegmentTime: null,
      lastSegmentProcessed: null,
      chatFileId: null,
      progressHistory: [],
      initiatedBy: null,
      sessionInfo: {
        createdAt: atIso,
        startedAt: null,
        retryCount: 0,
        maxRetries: 3,
        error: null,
      },
    },
    ...some,
  });
}
