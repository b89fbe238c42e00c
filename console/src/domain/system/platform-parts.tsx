import {
  CircleAlert,
  CircleCheck,
  CircleHelp,
  Cpu,
  Database,
  HardDrive,
  KeyRound,
  ListOrdered,
  TriangleAlert,
} from "lucide-react";
import type { ReactNode } from "react";
import type { Health, HealthStatus, SystemHealth } from "#contract/system.ts";
import { deployment, storageKind } from "#console/lib/deployment.ts";
import { useServerStatus } from "#console/lib/server-status.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import styles from "./platform-parts.module.css";
import { leadingNumber } from "./system-health.ts";

const LOCAL = {
  database: "SQLite on this machine",
  workers: "this process",
  cache: "tables of the database",
  queue: "in this process",
};

const ICONS = {
  storage: HardDrive,
  database: Database,
  workers: Cpu,
  cache: KeyRound,
  queue: ListOrdered,
};

/** What a part is that the console calls by the name of Cloudflare's. */
function kindOf(part: keyof typeof ICONS): string | undefined {
  if (part === "storage") return storageKind();
  return deployment() === "cloudflare" ? undefined : LOCAL[part];
}

/** Holds one `PlatformPart` per part of the platform. */
export function PlatformParts({ children }: { readonly children: ReactNode }) {
  return <ul>{children}</ul>;
}

/** A store that works, but holds more than was planned. */
export function overCapacity({ utilization }: { readonly utilization: string }): ReactNode {
  return leadingNumber(utilization) > 100 && <Badge tone="bad">over capacity</Badge>;
}

/** Name, use and health of the database, the store and so on; unknown while the server is away. */
export function PlatformPart({
  name,
  part,
  detail,
  health,
  badge = false,
  children,
}: {
  readonly name: string;
  readonly part: keyof typeof ICONS;
  /** Undefined while it loads, like its health. */
  readonly detail: string | undefined;
  readonly health: Health | undefined;
  /** Instead of "healthy". */
  readonly badge?: ReactNode;
  /** Below, over the whole width. */
  readonly children?: ReactNode;
}) {
  const kind = kindOf(part);
  const Icon = ICONS[part];
  const isReachable = useServerStatus() === "Online";
  return (
    <li className={styles.part}>
      <Icon />
      <strong className="strong">{name}</strong>
      {health === undefined ? (
        <Skeleton width="5rem" />
      ) : (
        (isReachable && health.status === "healthy" && badge) || (
          <HealthBadge status={isReachable ? health.status : "unknown"} />
        )
      )}
      <small>
        <span>{detail ?? <Skeleton width="9rem" />}</span>
        {kind !== undefined && <span> · {kind}</span>}
        {health?.reason !== undefined && <span> · {health.reason}</span>}
      </small>
      {children !== undefined && <span className={styles.wide}>{children}</span>}
    </li>
  );
}

const STATUSES = {
  healthy: { Icon: CircleCheck, tone: "good" },
  degraded: { Icon: TriangleAlert, tone: "warn" },
  warning: { Icon: TriangleAlert, tone: "warn" },
  unhealthy: { Icon: CircleAlert, tone: "bad" },
  unknown: { Icon: CircleHelp, tone: "neutral" },
} as const;

function HealthBadge({ status }: { readonly status: HealthStatus }) {
  const { Icon, tone } = STATUSES[status];
  return (
    <Badge tone={tone} icon={<Icon />}>
      {status}
    </Badge>
  );
}

/** Beside the words of the service's verdict on itself. */
export function VerdictIcon({ status }: { readonly status: SystemHealth["status"] | "unknown" }) {
  const { Icon, tone } = STATUSES[status];
  return <Icon color={`var(--${tone})`} />;
}
