import { useQuery } from "@tanstack/react-query";
import type { DashboardHistory } from "#contract/dashboard.ts";
import { HISTORY_DAYS } from "#contract/limits.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatCount } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { Sparkline } from "#console/ui/chart/sparkline.tsx";
import { HISTORY_POLL_MS, historyQuery } from "./metrics-query.ts";

export type HistorySeries = Exclude<keyof DashboardHistory, "today">;

const SERIES = {
  uploads: { what: "Uploads started per day", format: formatCount, caption: dailyRange },
  failed: { what: "Uploads failed per day", format: formatCount, caption: dailyRange },
  users: {
    what: "Accounts at the end of each day",
    format: formatCount,
    caption: growth(formatCount),
  },
  storedBytes: { what: "Most stored in a day", format: formatBytes, caption: growth(formatBytes) },
};

/** The last day is unfinished, so a line with it would always end in a drop. */
const WHOLE_DAYS = HISTORY_DAYS - 1;

function dailyRange(known: readonly number[]): string {
  const lowest = Math.min(...known);
  const highest = Math.max(...known);
  const range =
    lowest === highest ? formatCount(lowest) : `${formatCount(lowest)}–${formatCount(highest)}`;
  return `${range} a day`;
}

function growth(format: (value: number) => string) {
  return (known: readonly number[]) => {
    const change = (known.at(-1) ?? 0) - (known[0] ?? 0);
    if (change === 0) return `same for ${known.length} days`;
    return `${change < 0 ? "−" : "+"}${format(Math.abs(change))} in ${known.length} days`;
  };
}

/** A number's history over the last whole days; reserves its space until it is known. */
export function HistoryChart({ series }: { readonly series: HistorySeries }) {
  const history = useQuery(historyQuery());
  usePolling(history, HISTORY_POLL_MS);
  const { what, format, caption } = SERIES[series];
  return (
    <Sparkline
      label={`${what}, ${WHOLE_DAYS} days`}
      caption={caption}
      values={history.data?.[series]?.slice(0, WHOLE_DAYS) ?? []}
      format={format}
    />
  );
}
