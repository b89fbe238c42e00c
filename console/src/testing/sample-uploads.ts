import { userIdSchema } from "#contract/ids.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { ago } from "./ago.ts";

const GB = 1_024 ** 3;

/** The video that the Watch screen shows, and its file. */
export const WATCHED = "watched";
export const FILE_KEY = "vods/1/2/evening.ts";

export const NOVA = {
  userId: userIdSchema.parse("71"),
  twitchId: "71",
  username: "nova",
  displayName: "Nova",
  profileImageUrl: null,
};
const DEBUG = buildUpload({ createdAt: ago(90) }).debugInfo;
const METADATA = {
  streamTitle: "Evening stream: the whole campaign in one sitting, with viewers",
  rendition: "1080p60",
  withheldRendition: null,
  segmentsDownloaded: 720,
  totalSegments: 720,
  durationSec: 7_200,
  isLive: false,
  statedDurationSec: null,
  mutedRanges: [{ startSec: 600, endSec: 780 }],
  missingRanges: [],
};

function buildArchive(id: string, overrides: Parameters<typeof buildUpload>[0]) {
  return buildUpload({
    id,
    filename: `${id}.ts`,
    owner: NOVA,
    createdAt: ago(95),
    startedAt: ago(90),
    recordedAt: ago(3_000),
    originalSize: 2 * GB,
    originalSizeIsEstimate: false,
    metadata: METADATA,
    debugInfo: { ...DEBUG, internalVodId: id, twitchVodId: "2345678901" },
    ...overrides,
  });
}

/** One of each status, and of each trouble. */
export const UPLOADS = [
  buildArchive("running", {
    filename: "a-very-long-name-of-a-file-that-no-column-has-room-for-2026-11-23.ts",
    status: "processing",
    phase: "copying",
    progress: 42.5,
    uploadSpeed: 24 * 1_024 ** 2,
    estimatedTimeRemaining: 75,
    metadata: {
      ...METADATA,
      segmentsDownloaded: 306,
      rendition: "720p60",
      withheldRendition: { label: "1440p60", reason: "sign_in" },
    },
  }),
  buildArchive("waiting", {
    status: "processing",
    phase: "waiting",
    progress: 80,
    errorMessage: "Twitch answers slowly; the next attempt is in a minute.",
    debugInfo: { ...DEBUG, isStalled: true, stallReason: "No data for ten minutes." },
  }),
  buildArchive("sent-by-hand", { kind: "manual", filename: "sent-by-hand.mp4", owner: null }),
  buildArchive(WATCHED, {
    status: "completed",
    progress: 100,
    completedAt: ago(60),
    fileKey: FILE_KEY,
    fileStatus: "complete",
    costUsd: 0.0123,
  }),
  buildArchive("file-is-gone", { status: "completed", progress: 100, completedAt: ago(600) }),
  buildArchive("failed-for-now", {
    status: "failed",
    failedAt: ago(5),
    progress: 12,
    retryCount: 1,
    failureClass: "try_later",
    errorMessage: "Twitch was unavailable for 30 minutes (HTTP 503).",
  }),
  buildArchive("failed-for-good", {
    status: "failed",
    failedAt: ago(3_000),
    retryCount: 3,
    failureClass: "gone_at_source",
    errorMessage: "The video was deleted at Twitch while it was being copied.",
  }),
  buildArchive("stopped", { status: "cancelled", progress: 50 }),
];
