import type { SystemMetrics } from "#contract/system.ts";
import { formatCount } from "#console/lib/format.ts";

/** Overall health. */
export type SystemHealth = "healthy" | "warning" | "unknown";

/** Above these limits, health is a warning (docs/console.md#warnings). */
export const R2_WARNING_PERCENT = 80;
const FAILED_UPLOADS_WARNING = 10;

/** Overall health, with a text for each reason to warn. */
export function systemHealth(metrics: SystemMetrics | undefined): {
  readonly health: SystemHealth;
  readonly reasons: readonly string[];
} {
  if (metrics === undefined) return { health: "unknown", reasons: [] };
  const { r2Storage, workers } = metrics.cloudflare;
  const reasons: string[] = [];
  if (leadingNumber(r2Storage.utilization) > R2_WARNING_PERCENT) {
    reasons.push(`R2 utilization is ${r2Storage.utilization}, above ${R2_WARNING_PERCENT}%`);
  }
  if (metrics.failedUploads > FAILED_UPLOADS_WARNING) {
    const failed = formatCount(metrics.failedUploads);
    reasons.push(`${failed} uploads have failed, more than ${FAILED_UPLOADS_WARNING}`);
  }
  if (workers.status !== "healthy") {
    reasons.push(
      workers.status === "unknown"
        ? "The workers' status is unknown"
        : `The workers are ${workers.status}${workers.reason === undefined ? "" : `. ${workers.reason}`}`,
    );
  }
  return { health: reasons.length === 0 ? "healthy" : "warning", reasons };
}

/** The leading number of a text such as "12.3%" or "4.2 ops/min". */
export function leadingNumber(text: string): number {
  const value = Number.parseFloat(text);
  return Number.isFinite(value) ? value : 0;
}
