import { lazyPart } from "#console/ui/lazy-part.tsx";

/** A number's history; no screen waits for it. */
export const HistorySparkline = lazyPart(
  async () => (await import("./history-chart.tsx")).HistoryChart,
);
