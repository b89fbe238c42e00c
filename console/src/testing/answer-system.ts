import { listAudit } from "#contract/audit.ts";
import { backupsSchema, readBackups, type Backups } from "#contract/backups.ts";
import { systemHistory } from "#contract/system-history.ts";
import { systemLogs, systemMetrics } from "#contract/system.ts";
import { readVerification, verificationSchema, type Verification } from "#contract/verification.ts";
import { build } from "#contract/testing/build.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { ago } from "./ago.ts";
import { answerFiles } from "./answer-files.ts";
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
}

/** Nightly backups, of which none was made yet. */
export function buildBackups(overrides: Partial<Backups> = {}): Backups {
  return build(backupsSchema, { kind: "nightly", dueAt: ago(-6 * 60), ...overrides });
}

/** A library of a terabyte in a bucket that charges for reading. */
export function buildVerification(overrides: Partial<Verification> = {}): Verification {
  return build(verificationSchema, {
    cycleDays: 60,
    bytesPerMonth: 506_944_444_444,
    usdPerMonth: 45.65,
    usdOnce: 90.05,
    ...overrides,
  });
}
