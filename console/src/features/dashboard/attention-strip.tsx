import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, TriangleAlert } from "lucide-react";
import type { DashboardStats } from "#contract/dashboard.ts";
import type { SystemMetrics } from "#contract/system.ts";
import { Skeleton } from "#console/ui/skeleton.tsx";
import styles from "./dashboard.module.css";
import { attentionItems } from "./attention.ts";

/** Links to current problems; renders nothing if there are none. */
export function AttentionStrip({
  stats,
  metrics,
}: {
  readonly stats: UseQueryResult<DashboardStats>;
  readonly metrics: UseQueryResult<SystemMetrics>;
}) {
  if (stats.isLoading || metrics.isLoading) return <Skeleton width="14rem" height="2rem" />;
  const items = attentionItems(stats.data, metrics.data);
  if (items.length === 0) return null;
  return (
    <ul className={styles.attention} aria-label="Needs attention">
      {items.map(({ id, to, text, bad }) => (
        <li key={id}>
          <Link to={to} data-bad={bad}>
            {bad ? <CircleAlert aria-hidden="true" /> : <TriangleAlert aria-hidden="true" />}
            {text}
          </Link>
        </li>
      ))}
    </ul>
  );
}
