import { listAudit } from "#contract/audit.ts";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { budgets, costAlerts, costBreakdown, costTrend, thresholds } from "#contract/costs.ts";
import { dashboardHistory, dashboardStats } from "#contract/dashboard.ts";
import { getFile } from "#contract/files.ts";
import {
  alertIdSchema,
  notificationIdSchema,
  thresholdIdSchema,
  uploadIdSchema,
  userIdSchema,
} from "#contract/ids.ts";
import { HISTORY_DAYS } from "#contract/limits.ts";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import { notificationConfig, notificationEvents } from "#contract/notifications.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { systemHistory } from "#contract/system-history.ts";
import { LOG_LEVELS, systemLogs, systemMetrics } from "#contract/system.ts";
import { buildFile } from "#contract/testing/build-file.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { listUsers } from "#contract/users.ts";
import { listViews } from "#contract/views.ts";
import { answerFiles } from "./answer-files.ts";
import { answerNotifications, CONFIG } from "./answer-notifications.ts";
import { answerUploads } from "./answer-uploads.ts";
import { buildHistory } from "./build-history.ts";
import { buildMetrics } from "./build-metrics.ts";
import { buildUser } from "./build-user.ts";
import type { scriptService } from "./scripted-service.ts";

const NOW_MS = Date.parse("2026-11-23T12:00:00.000Z");
const GB = 1_024 ** 3;

/** The video that the Watch screen shows, and its file. */
export const WATCHED = "watched";
const FILE_KEY = "vods/1/2/evening.ts";

function ago(minutes: number): string {
  return new Date(NOW_MS - minutes * 60_000).toISOString();
}

/** The dates of this many days, the last of which is today. */
function daysUntilToday(count: number): readonly string[] {
  return Array.from({ length: count }, (_day, index) =>
    ago((count - 1 - index) * 1_440).slice(0, 10),
  );
}

const NOVA = {
  userId: userIdSchema.parse("71"),
  twitchId: "71",
  username: "nova",
  displayName: "Nova",
  profileImageUrl: null,
};
const DEBUG = buildUpload({ createdAt: ago(90) }).debugInfo;
const METADATA = {
  streamTitle: "Evening stream: the whole campaign in one sitting, with viewers",
  segmentsDownloaded: 720,
  totalSegments: 720,
  durationSec: 7_200,
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
    originalSize: 2 * GB,
    originalSizeIsEstimate: false,
    metadata: METADATA,
    debugInfo: { ...DEBUG, internalVodId: id, twitchVodId: "2345678901" },
    ...overrides,
  });
}

const UPLOADS = [
  buildArchive("running", {
    filename: "a-very-long-name-of-a-file-that-no-column-has-room-for-2026-11-23.ts",
    status: "processing",
    phase: "copying",
    progress: 42.5,
    uploadSpeed: 24 * 1_024 ** 2,
    estimatedTimeRemaining: 75,
    metadata: { ...METADATA, segmentsDownloaded: 306 },
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

const FILE = {
  lastModified: ago(60),
  userId: NOVA.userId,
  username: NOVA.username,
  downloadUrl: "/download",
};
const WATCHED_FILE = buildFile({
  ...FILE,
  key: FILE_KEY,
  filename: "evening.ts",
  size: 2 * GB,
  uploadId: uploadIdSchema.parse(WATCHED),
  verifiedAt: ago(30),
  chapters: [
    { startSec: 0, title: "Just Chatting" },
    { startSec: 1_800, title: "A game with a long name: the second part" },
  ],
  metadata: { rendition: "1080p60", resolution: "1920x1080", codecs: "avc1.64002A, mp4a.40.2" },
});
const FILES = [
  WATCHED_FILE,
  buildFile({
    ...FILE,
    key: "vods/1/3/damaged.ts",
    filename: "damaged.ts",
    size: GB,
    status: "partial",
    metadata: { problem: "Two parts no longer hold the bytes that were proved." },
  }),
  buildFile({
    ...FILE,
    key: "manual/9/a-very-long-name-of-a-file-that-no-column-has-room-for.mp4",
    filename: "a-very-long-name-of-a-file-that-no-column-has-room-for.mp4",
    uploadType: "manual",
    userId: userIdSchema.parse("72"),
    username: "max_power",
  }),
  buildFile({
    key: "vods/1/4/left-behind.ts",
    filename: null,
    username: null,
    userId: null,
    vodId: null,
    uploadType: "chunk",
    status: "orphaned",
    lastModified: ago(90_000),
  }),
];

const USERS = [
  buildUser(1, {
    displayName: "Avery Admin",
    login: "avery",
    isAdmin: true,
    isBootstrap: true,
    permissions: [...PERMISSIONS],
    lastLoginAt: ago(3),
  }),
  buildUser(2, {
    displayName: "Somebody with a rather long name",
    email: "somebody.with.a.long.address@mail.example.com",
    isAdmin: true,
    permissions: ["read:uploads"],
    lastLoginAt: ago(5_000),
  }),
  buildUser(3, { isBanned: true, banReason: "Uploaded what was not theirs.", uploads: 3 }),
  buildUser(4),
];

const ENTRY = {
  actor: { userId: userIdSchema.parse("1001"), login: "avery", displayName: "Avery Admin" },
  result: "done" as const,
  reason: null,
  before: null,
  after: null,
  requestId: null,
  address: null,
  count: 1,
  lastAt: null,
};
const ENTRIES = [
  { ...ENTRY, id: "6", at: ago(1), action: "workers.restart", target: null },
  { ...ENTRY, id: "5", at: ago(2), action: "upload.retry", target: "failed-for-now" },
  { ...ENTRY, id: "4", at: ago(9), action: "file.download", target: FILE_KEY },
  {
    ...ENTRY,
    id: "3",
    at: ago(70),
    actor: null,
    action: "access.refuse",
    target: "GET /admin/users",
    result: "refused" as const,
    count: 1_200,
    lastAt: ago(30),
  },
  {
    ...ENTRY,
    id: "2",
    at: ago(3_000),
    action: "user.ban",
    target: "user3",
    reason: "Uploaded what was not theirs.",
  },
  { ...ENTRY, id: "1", at: ago(4_000), actor: null, action: "upload.complete", target: WATCHED },
];

/** Answers everything, as a busy service with some of every trouble does. */
export function answerFull(service: ReturnType<typeof scriptService>): void {
  const { answer } = service;
  answerUploads(service, UPLOADS);
  answerFiles(service, FILES);
  // Never opens, so that nothing plays; each video needs its own.
  const videoUrl = URL.createObjectURL(new MediaSource());
  answer(getFile, () => ({ ...WATCHED_FILE, videoUrl }));
  answer(listUsers, () => buildPage(USERS));
  answer(listAudit, () => buildPage(ENTRIES));
  answer(listViews, () => ({ views: [] }));
  answerDashboardFull(service);
  answerCostsFull(service);
  answerSystemFull(service);
  answerNotificationsFull(service);
}

function buildDays(of: (day: number) => number) {
  return Array.from({ length: HISTORY_DAYS }, (_day, index) => of(index));
}

function answerDashboardFull({ answer }: ReturnType<typeof scriptService>): void {
  answer(dashboardStats, () => ({
    uploads: { total: 1_102, today: 7, completed: 950, processing: 5, failed: 120, pending: 25 },
    users: { active: 30, total: 45 },
    storage: { used: 815 * GB, percentage: 81.5 },
  }));
  answer(dashboardHistory, () => ({
    today: "2026-11-23",
    uploads: buildDays((day) => (day * 7) % 12),
    failed: buildDays((day) => day % 3),
    users: buildDays((day) => 30 + day),
    storedBytes: buildDays((day) => (600 + day * 15) * GB),
  }));
}

function answerCostsFull({ answer }: ReturnType<typeof scriptService>): void {
  answer(costBreakdown, () => ({
    total: 37.5,
    workers: 5,
    r2Storage: 12.2,
    r2Operations: 15.1,
    r2Transfer: 0,
    d1Database: 3.1,
    d1Operations: 2,
    kvOperations: 0.1,
    queueOperations: 0,
    lastUpdated: ago(1),
    source: "metered" as const,
    periodStart: "2026-11-01",
    periodEnd: "2026-11-30",
    pricesAsOf: "2026-11-01",
    usage: [
      {
        name: "Storage",
        product: "R2" as const,
        used: 815,
        included: 10,
        unit: "GB-months",
        costUsd: 12.2,
      },
      {
        name: "Rows read",
        product: "D1" as const,
        used: 9e6,
        included: 5e6,
        unit: "rows",
        costUsd: 2,
      },
    ],
  }));
  answer(budgets, () => ({
    pauseWhenSpent: false,
    budgets: [
      {
        period: "monthly" as const,
        budget: 50,
        spent: 37.5,
        remaining: 12.5,
        percentage: 75,
        trend: "increasing" as const,
        onTrack: false,
        projectedSpend: 51.2,
        daysRemaining: 7,
      },
    ],
  }));
  answer(thresholds, () =>
    (["warning", "critical", "budget_exceeded"] as const).map((type, index) => ({
      id: thresholdIdSchema.parse(type),
      name: ["Warning", "Critical", "Budget exceeded"][index] ?? type,
      type,
      threshold: [37.5, 45, 50][index] ?? 50,
      budgetPercent: [75, 90, 100][index] ?? 100,
      hasOwnAmount: index === 1,
      currentSpend: 37.5,
      percentage: [100, 83.3, 75][index] ?? 75,
      alertsEnabled: index !== 2,
      lastTriggered: index === 0 ? ago(200) : null,
    })),
  );
  answer(costAlerts, () => ({
    unacknowledged: 1,
    alerts: [200, 44_000].map((minutes) => ({
      id: alertIdSchema.parse(`alert${minutes}`),
      type: "warning" as const,
      thresholdName: "Warning",
      message: "Spending has reached $37.50, 75% of the budget.",
      triggeredAt: ago(minutes),
      acknowledged: minutes > 200,
      acknowledgedAt: minutes > 200 ? ago(43_000) : null,
      acknowledgedBy: minutes > 200 ? "Avery Admin" : null,
    })),
  }));
  answer(costTrend, () => ({
    days: daysUntilToday(35).map((date, index) => ({
      date,
      total: 1.5 + index / 100,
      workers: 0.2,
      r2: 1.1 + index / 100,
      d1: 0.15,
      kv: 0.03,
      queues: 0.02,
    })),
    projectedMonthUsd: 51.2,
    formula: "37.50 spent and 7 days of 1.96 on average.",
  }));
}

function answerSystemFull({ answer }: ReturnType<typeof scriptService>): void {
  answer(systemMetrics, () => ({
    ...buildMetrics({
      utilization: "81.5%",
      failedUploads: 120,
      activeUploads: 5,
      workers: "degraded",
      workersReason: "3 waiting, all slots are busy.",
      throughput: "4.2 ops/min",
    }),
    uptime: 2 * 86_400 + 3 * 3_600,
  }));
  answer(systemLogs, () => ({
    logs: LOG_LEVELS.map((level, index) => ({
      id: String(9 - index),
      level,
      timestamp: ago(index),
      message: "A part was refused by the store and is sent again, which may take a minute or two.",
      meta: index === 0 ? { part: 7 } : null,
    })),
  }));
  answer(systemHistory, () =>
    buildHistory("day", (index) => (index === 30 ? null : index % 48), [
      { at: ago(-200), kind: "start", detail: "1.2.3" },
      { at: ago(-900), kind: "alert", detail: "Database is unhealthy" },
    ]),
  );
}

function answerNotificationsFull(service: ReturnType<typeof scriptService>): void {
  const { answer } = service;
  answerNotifications(service);
  answer(notificationConfig, () => ({
    ...CONFIG,
    eventTypes: EVENT_TYPES.map((type, index) => ({
      type,
      label: type.charAt(0).toUpperCase() + type.slice(1).replaceAll("_", " "),
      description: "Something happened that an administrator may want to know at once.",
      severity: (["critical", "high", "medium", "low"] as const)[index % 4] ?? "low",
    })),
  }));
  answer(notificationEvents, () => ({
    events: (["pending", "delivered", "failed"] as const).map((status, index) => ({
      id: status,
      type: "upload_failed" as const,
      severity: "high" as const,
      title: "Upload failed: failed-for-now.ts",
      body: "Twitch was unavailable.",
      channel: (["browser", "telegram", "email"] as const)[index] ?? "browser",
      status,
      attempts: index,
      error: status === "failed" ? "The mail server refused the recipient." : null,
      createdAt: ago(5 + index * 60),
      deliveredAt: status === "delivered" ? ago(60) : null,
    })),
    total: 3,
  }));
  answer(browserNotifications, () => ({
    notifications: [
      {
        id: notificationIdSchema.parse("n1"),
        type: "upload_failed" as const,
        severity: "high" as const,
        title: "Upload failed: failed-for-now.ts",
        body: "Twitch was unavailable.",
        link: "/uploads/failed",
        createdAt: ago(5),
        read: false,
      },
    ],
    unread: 1,
  }));
}
