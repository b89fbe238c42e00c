import { CircleHelp, Minus, TrendingDown, TrendingUp } from "lucide-react";
import type { ReactNode } from "react";
import type { SystemMetrics } from "#contract/system.ts";
import styles from "./costs.module.css";

type Trend = SystemMetrics["costAnalysis"]["costTrend"];

const TRENDS: Readonly<Record<Trend, { readonly word: string; readonly icon: ReactNode }>> = {
  increasing: { word: "Increasing", icon: <TrendingUp aria-hidden="true" /> },
  decreasing: { word: "Decreasing", icon: <TrendingDown aria-hidden="true" /> },
  stable: { word: "Stable", icon: <Minus aria-hidden="true" /> },
  unknown: { word: "Unknown", icon: <CircleHelp aria-hidden="true" /> },
};

export function TrendWord({ trend }: { readonly trend: Trend }) {
  const { word, icon } = TRENDS[trend];
  return (
    <span className={styles.trend}>
      {icon}
      {word}
    </span>
  );
}
