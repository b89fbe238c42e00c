import { listAudit } from "#contract/audit.ts";
import { readBackups } from "#contract/backups.ts";
import { dashboardHistory } from "#contract/dashboard.ts";
import { systemHistory } from "#contract/system-history.ts";
import { systemLogs, systemMetrics } from "#contract/system.ts";
import { readVerification } from "#contract/verification.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { answerFiles } from "./answer-files.ts";
import { buildBackups } from "./build-backups.ts";
import { buildVerification } from "./build-verification.ts";
import { buildHistory } from "./build-history.ts";
import { buildMetrics } from "./build-metrics.ts";
import type { scriptService } from "./scripted-service.ts";

/** Answers what the System screen asks for: nothing is stored, and nothing has happened. */
export function answerSystem(service: ReturnType<typeof scriptService>): void {
  const { answer } = service;
  answerFiles(service);
  answer(systemMetrics, () => buildMetrics());
  answer(systemLogs, () => ({ logs: [] }));
  answer(readVerification, () => buildVerification());
  answer(readBackups, () => buildBackups());
  answer(listAudit, () => buildPage([]));
  answer(systemHistory, () => buildHistory("day", () => null));
  answer(dashboardHistory, () => ({
    today: "2026-11-23",
    uploads: null,
    failed: null,
    users: null,
    storedBytes: null,
  }));
}
