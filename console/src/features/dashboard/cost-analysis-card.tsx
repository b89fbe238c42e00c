import type { UseQueryResult } from "@tanstack/react-query";
import { CircleDollarSign } from "lucide-react";
import type { SystemMetrics } from "#contract/system.ts";
import { formatUsd } from "#console/lib/format.ts";
import { Card } from "#console/ui/card.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { Facts } from "#console/ui/facts.tsx";
import { Figures } from "#console/ui/figures.tsx";
import layout from "#console/ui/layout.module.css";
import { QueryCard } from "#console/ui/query-card.tsx";
import { TrendWord } from "./costs/trend-word.tsx";
import { METRICS_POLL_MS } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

export function CostAnalysisCard({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  if (metrics.data === undefined && metrics.isError) {
    return (
      <Card title="Cost Analysis">
        <EmptyState icon={<CircleDollarSign />} title="Cost data not available" />
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
            large
            figures={[
              { name: "Trend", value: <TrendWord trend={costTrend} /> },
              { name: "Daily cost", value: formatUsd(dailyCosts.total) },
              {
                name: "Monthly projection",
                value: usdOr("Not enough data", projectedMonthlyCost),
              },
            ]}
          />
          <div className={styles.costs}>
            <div>
              <h3 className={layout.note}>Daily breakdown, USD per day</h3>
              <Facts
                facts={[
                  { name: "Workers", value: formatUsd(dailyCosts.workers) },
                  { name: "R2 storage", value: formatUsd(dailyCosts.r2Storage) },
                  { name: "D1 database", value: formatUsd(dailyCosts.d1Database) },
                  { name: "KV namespaces", value: formatUsd(dailyCosts.kvNamespaces) },
                ]}
              />
            </div>
            <div>
              <h3 className={layout.note}>Unit economics, this month so far</h3>
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
