import { readBackups } from "#contract/backups.ts";
import { examineSystem } from "#contract/examination.ts";
import { systemHistory } from "#contract/system-history.ts";
import { LOG_LEVELS } from "#contract/values.ts";
import { readWaitingWork, systemLogs, systemMetrics } from "#contract/system.ts";
import { readVerification } from "#contract/verification.ts";
import { ago } from "./ago.ts";
import { buildHistory } from "./build-history.ts";
import type { scriptService } from "./scripted-service.ts";

/** Of a library of a terabyte in a bucket that charges for reading. */
export const VERIFICATION = {
  cycleDays: 60,
  bytesPerMonth: 506_944_444_444,
  usdPerMonth: 45.65,
  usdOnce: 90.05,
};

/** Answers with a degraded part, log entries and a history. */
export function answerSystemFull({ answer }: ReturnType<typeof scriptService>): void {
  answer(systemMetrics, () => ({
    uptime: 2 * 86_400 + 3 * 3_600,
    totalUploads: 100,
    activeUploads: 5,
    failedUploads: 120,
    cloudflare: {
      r2Storage: { usedGB: 123, utilization: "81.5%" },
      d1Database: { totalRecords: 1_000 },
      workers: {
        environment: "preview",
        status: "degraded",
        reason: "3 waiting, all slots are busy.",
      },
    },
    costAnalysis: {
      costTrend: "stable",
      dailyCosts: { total: 0.2, workers: 0.17, r2Storage: 0.03 },
      projectedMonthlyCost: 6,
      unitEconomics: { costPerVod: 0.01, costPerUser: 0.1, costPerGB: 0.02 },
    },
    performance: { throughput: "4.2 ops/min" },
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
  answer(readWaitingWork, () => ({
    items: [
      {
        work: "Removal from the store",
        subject: `vods/${"0123456789".repeat(12)}.ts`,
        dueAt: ago(-10),
        attempts: 3,
        error: "The object is locked until 2027-01-01.",
      },
      {
        work: "Chat replay",
        subject: "Opening night",
        isRunning: true,
        dueAt: ago(5),
        attempts: 1,
      },
      {
        work: "Test of a backup",
        dueAt: ago(-24 * 60),
      },
    ],
    total: 61,
  }));
  answer(readVerification, () => ({
    ...VERIFICATION,
    filesLeft: 12,
    bytesLeft: 34e9,
    oldestVerifiedAt: ago(60_000),
  }));
  answer(readBackups, () => ({
    dueAt: ago(-6 * 60),
    last: { at: ago(3_600), sizeBytes: 34e6 },
    failure: { sinceAt: ago(60), text: "The store is away." },
  }));
  answer(examineSystem, () => ({
    at: ago(0),
    version: "1.2.3",
    canArchive: false,
    differences: ["Since 2026-11-03, Twitch sends something new: tag EXT-X-NEW."],
    findings: [
      { topic: "Settings", result: "ok" },
      { topic: "Redirect address", result: "advice", text: "Register it at Twitch." },
      {
        topic: "Media hosts",
        result: "problem",
        text: `Twitch lists media on ${"very-long-name.".repeat(12)}example, which is not allowed.`,
      },
    ],
  }));
  answer(systemHistory, () =>
    buildHistory("day", (index) => (index === 30 ? null : index % 48), [
      { at: ago(-200), kind: "start", detail: "1.2.3" },
      { at: ago(-900), kind: "alert", detail: "Database is unhealthy" },
    ]),
  );
}
