import { readBackups } from "#contract/backups.ts";
import { examineSystem } from "#contract/examination.ts";
import { systemHistory } from "#contract/system-history.ts";
import { LOG_LEVELS } from "#contract/values.ts";
import { systemLogs, systemMetrics } from "#contract/system.ts";
import { readVerification } from "#contract/verification.ts";
import { ago } from "./ago.ts";
import { buildBackups } from "./answer-system.ts";
import { buildHistory } from "./build-history.ts";
import { buildVerification } from "./answer-system.ts";
import { buildMetrics } from "./build-metrics.ts";
import type { scriptService } from "./scripted-service.ts";

/** Answers with a degraded part, log entries and a history. */
export function answerSystemFull({ answer }: ReturnType<typeof scriptService>): void {
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
  answer(readVerification, () =>
    buildVerification({ filesLeft: 12, bytesLeft: 34e9, oldestVerifiedAt: ago(60_000) }),
  );
  answer(readBackups, () =>
    buildBackups({
      last: { at: ago(3_600), sizeBytes: 34e6 },
      failure: { sinceAt: ago(60), text: "The store is away." },
    }),
  );
  answer(examineSystem, () => ({
    at: ago(0),
    version: "1.2.3",
    canArchive: false,
    differences: ["Since 2026-11-03, Twitch sends something new: tag EXT-X-NEW."],
    findings: [
      { topic: "Settings", result: "ok" as const, text: "" },
      { topic: "Redirect address", result: "advice" as const, text: "Register it at Twitch." },
      {
        topic: "Media hosts",
        result: "problem" as const,
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
