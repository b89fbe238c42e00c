import { listAudit } from "#contract/audit.ts";
import { dashboardHistory } from "#contract/dashboard.ts";
import { fileStats } from "#contract/files.ts";
import { systemHistory } from "#contract/system-history.ts";
import { systemLogs, systemMetrics } from "#contract/system.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { buildMetrics } from "./build-metrics.ts";
import type { scriptService } from "./scripted-service.ts";

/** Answers what the System screen asks for; its histories and storage stay on their way. */
export function answerSystem({ answer }: ReturnType<typeof scriptService>): void {
  answer(systemMetrics, () => buildMetrics());
  answer(systemLogs, () => ({ logs: [] }));
  answer(listAudit, () => buildPage([]));
  for (const call of [dashboardHistory, systemHistory, fileStats])
    answer(call, () => new Promise(() => undefined));
}
