import * as z from "zod/mini";
import { R2_WARNING_PERCENT } from "#contract/limits.ts";
import { findBackupProblem } from "#service/backups/backup-state.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { readClockTrust } from "#service/clock-trust.ts";
import { FAILURE_COUNTS_MS } from "#service/uploads/upload-query.ts";
import type { ComponentResult } from "./health-store.ts";
import { storageUse } from "#service/space/storage-use.ts";

/** More failures than this within {@link FAILURE_COUNTS_MS} are a warning. */
const FAILED_UPLOADS_WARNING = 10;

/** Rows that a count reads at most: D1 bills them, four times a minute. */
const MOST_COUNTED = 1_000;

/** One attempt may fail by chance. */
const FAILED_ATTEMPTS = 3;

const eventsRow = z.object({
  storedBytes: z.nullable(z.number()),
  failed: z.number(),
  stalled: z.number(),
  undelivered: z.nullable(z.string()),
  undeleted: z.number(),
  undeletedReason: z.nullable(z.string()),
  unread: z.number(),
  unreadReason: z.nullable(z.string()),
});

/** Those that the store hands out no more, and says why. */
const refusedFiles = sql`SELECT j.error FROM jobs j JOIN files f ON f.object_key = j.key
  WHERE j.kind = 'verify' AND j.error IS NOT NULL AND f.is_refused`;

/** What is no part's fault but needs attention: never unhealthy, and over when its cause is. */
export async function judgeRecentEvents(
  context: ServiceContext,
): Promise<readonly ComponentResult[]> {
  const {
    platform: { database, clock },
    settings,
  } = context;
  const sinceMs = clock.now() - FAILURE_COUNTS_MS;
  const [row] = await database.all(sql`SELECT
    (SELECT value FROM counters WHERE name = 'files.bytes') AS storedBytes,
    (SELECT count(*) FROM (SELECT 1 FROM uploads INDEXED BY uploads_failed
      WHERE status = 'failed' AND failed_at >= ${sinceMs}
      LIMIT ${FAILED_UPLOADS_WARNING + 1})) AS failed,
    EXISTS (SELECT 1 FROM uploads WHERE status = 'processing' AND kind <> 'manual'
      AND stalled_at IS NOT NULL) AS stalled,
    (SELECT result FROM notification_deliveries
      WHERE status = 'pending' AND channel <> 'webhook' AND attempts >= ${FAILED_ATTEMPTS}
        AND result IS NOT NULL LIMIT 1) AS undelivered,
    (SELECT count(*) FROM (SELECT 1 FROM jobs
      WHERE kind IN ('removal', 'abort') AND error IS NOT NULL
      LIMIT ${MOST_COUNTED + 1})) AS undeleted,
    (SELECT error FROM jobs
      WHERE kind IN ('removal', 'abort') AND error IS NOT NULL LIMIT 1) AS undeletedReason,
    (SELECT count(*) FROM (${refusedFiles} LIMIT ${MOST_COUNTED + 1})) AS unread,
    (SELECT error FROM (${refusedFiles} LIMIT 1)) AS unreadReason`);
  const { storedBytes, failed, stalled, undelivered, ...refused } = eventsRow.parse(row);
  const { percentage } = storageUse(storedBytes ?? 0, settings);
  const uploadProblems = [
    ...(failed > FAILED_UPLOADS_WARNING
      ? [`More than ${FAILED_UPLOADS_WARNING} uploads failed within a week.`]
      : []),
    ...(stalled > 0 ? ["An archive is stalled."] : []),
  ];
  const backupProblem = await findBackupProblem(context);
  const { trustedAtMs, distrustedAtMs } = await readClockTrust(database);
  return [
    resultOf(
      "capacity",
      percentage > R2_WARNING_PERCENT
        ? `R2 utilization is ${percentage.toFixed(1)}%, above ${R2_WARNING_PERCENT}%.`
        : null,
    ),
    resultOf("uploads", uploadProblems.length === 0 ? null : uploadProblems.join(" ")),
    resultOf(
      "notifications",
      undelivered === null ? null : `Messages cannot be delivered. ${undelivered}`,
    ),
    resultOf("refusals", refusalsOf(refused)),
    ...(backupProblem === undefined ? [] : [resultOf("backups", backupProblem)]),
    resultOf(
      "clock",
      distrustedAtMs === null
        ? null
        : `It shows ${timeText(clock.now())}, and was trusted last at ${timeText(trustedAtMs ?? 0)}: ` +
            "nothing old is removed until Twitch's clock agrees, or an administrator confirms it.",
    ),
  ];
}

/** What the store refuses while it works otherwise. */
function refusalsOf({
  undeleted,
  undeletedReason,
  unread,
  unreadReason,
}: Pick<z.infer<typeof eventsRow>, "undeleted" | "undeletedReason" | "unread" | "unreadReason">):
  | string
  | null {
  const sentences = [
    ...(undeleted > 0
      ? [`Objects that the store refuses to delete: ${countText(undeleted)}. ${undeletedReason}.`]
      : []),
    ...(unread > 0
      ? [
          `Files that it refuses to read, so that they are not verified: ${countText(unread)}. ${unreadReason}.`,
        ]
      : []),
  ];
  return sentences.length === 0 ? null : sentences.join(" ");
}

function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function countText(count: number): string {
  return count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(count);
}

function resultOf(component: ComponentResult["component"], problem: string | null) {
  return {
    component,
    status: problem === null ? "healthy" : "degraded",
    detail: problem,
  } satisfies ComponentResult;
}
