import type { UseQueryResult } from "@tanstack/react-query";
import { CircleHelp, Minus, TrendingDown, TrendingUp, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { SystemMetrics } from "#contract/system.ts";
import { formatUsd } from "#console/lib/format.ts";
import { Card } from "#console/ui/card.tsx";
import { Facts } from "#console/ui/facts.tsx";
import { Figures } from "#console/ui/figures.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { METRICS_POLL_MS } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

const TRENDS: Readonly<Record<SystemMetrics["costAnalysis"]["costTrend"], ReactNode>> = {
  increasing: trend("Increasing", TrendingUp),
  decreasing: trend("Decreasing", TrendingDown),
  stable: trend("Stable", Minus),
  unknown: trend("Unknown", CircleHelp),
};

function trend(word: string, Icon: LucideIcon) {
  return (
    <span className={styles.trend}>
      <Icon className="faint" />
      {word}
    </span>
  );
}

export function CostAnalysisCard({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  if (metrics.data === undefined && metrics.isError) {
    return (
      <Card title="Cost Analysis">
        <p className="small soft">Cost data not available</p>
      </Card>
    );
  }
  return (
    <QueryCard
      title="Cost Analysis"
      query={metrics}
      permission="read:system"
      intervalMs={METRICS_POLL_MS}
    >
      {({ costAnalysis: { costTrend, dailyCosts, projectedMonthlyCost, unitEconomics } }) => (
        <>
          <Figures
            look="large"
            className={styles.totals}
            figures={[
              { name: "Trend", value: TRENDS[costTrend] },
              { name: "Daily cost", value: formatUsd(dailyCosts.total) },
              {
                name: "Monthly projection",
                value: usdOr("Not enough data", projectedMonthlyCost),
              },
            ]}
          />
          <div className={styles.costs}>
            <div className="stack gap1">
              <h3 className="note">Daily breakdown, USD per day</h3>
              <Facts
                facts={[
                  { name: "Workers", value: formatUsd(dailyCosts.workers) },
                  { name: "R2 storage", value: formatUsd(dailyCosts.r2Storage) },
                  { name: "D1 database", value: formatUsd(dailyCosts.d1Database) },
                  { name: "KV namespaces", value: formatUsd(dailyCosts.kvNamespaces) },
                ]}
              />
            </div>
            <div className="stack gap1">
              <h3 className="note">Unit economics, this month so far</h3>
              <Facts
                facts={[
                  { name: "Cost per VOD", value: usdOr("No VODs yet", unitEconomics.costPerVod) },
                  {
                    name: "Cost per user",
                    value: usdOr("No users yet", unitEconomics.costPerUser),
                  },
                  {
                    name: "Cost per GB",
                    value: usdOr("Nothing stored yet", unitEconomics.costPerGB),
                  },
                ]}
              />
            </div>
          </div>
        </>
      )}
    </QueryCard>
  );
}

function usdOr(absent: string, amountUsd: number | null): string {
  return amountUsd === null ? absent : formatUsd(amountUsd);
}
