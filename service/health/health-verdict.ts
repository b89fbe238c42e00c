import type { SystemHealth } from "#contract/system.ts";
import type { ServiceContext } from "#service/context.ts";
import { readHealth, type ProbeResults } from "./health-store.ts";
import { COMPONENTS, PARTS } from "./parts.ts";

/** The one verdict on the whole service, for every screen, call and metric that states one. */
export async function readVerdict({
  platform: { database, runtime, clock },
}: Pick<ServiceContext, "platform">): Promise<SystemHealth> {
  return verdictOf(await readHealth(database, runtime.startedAt, clock.now()));
}

/**
 * - healthy: every part is, as far as it is known;
 * - warning: a part is degraded, or the status of an essential one is unknown;
 * - unhealthy: a part is.
 */
export function verdictOf(health: ProbeResults): SystemHealth {
  const reasons = COMPONENTS.flatMap((part) => {
    const { status, detail } = health[part];
    const { name, isEssential = false } = PARTS[part];
    if (status === "healthy" || (status === "unknown" && !isEssential)) return [];
    const text = `${TITLES[status]}: ${name}${detail === null ? "" : `. ${detail}`}`;
    return [{ part, status, text }];
  });
  const isUnhealthy = reasons.some(({ status }) => status === "unhealthy");
  const troubled = isUnhealthy ? "unhealthy" : "warning";
  return { status: reasons.length === 0 ? "healthy" : troubled, reasons };
}

const TITLES = { degraded: "Degraded", unhealthy: "Unhealthy", unknown: "Unknown" };
