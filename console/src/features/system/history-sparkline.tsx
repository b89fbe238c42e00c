import { queryOptions, useQuery } from "@tanstack/react-query";
import { dashboardHistory, type DashboardHistory } from "#contract/dashboard.ts";
import { HISTORY_DAYS } from "#contract/limits.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { call } from "#console/lib/api-client.ts";
import { formatCount } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { Sparkline, SparklinePlace } from "#console/ui/chart/sparkline.tsx";

/** The service recounts every five minutes. */
const HISTORY_POLL_MS = 5 * 60_000;

type Series = Exclude<keyof DashboardHistory, "today">;

const SERIES: Readonly<
  Record<Series, { readonly what: string; readonly format: (value: number) => string }>
> = {
  uploads: { what: "Uploads begun a day", format: formatCount },
  failed: { what: "Uploads failed a day", format: formatCount },
  users: { what: "Accounts at the end of a day", format: formatCount },
  storedBytes: { what: "Most stored on a day", format: formatBytes },
};

function historyQuery() {
  return queryOptions({
    queryKey: ["dashboard", "history"],
    // Not abortable: a card that turns from skeleton into link would send a second request.
    queryFn: () => call(dashboardHistory),
    staleTime: HISTORY_POLL_MS,
  });
}

/** Two weeks of a number's history; renders nothing if there is none. */
export function HistorySparkline({ series }: { readonly series: Series }) {
  const history = useQuery(historyQuery());
  usePolling(history, HISTORY_POLL_MS);
  const { data } = history;
  const values = data?.[series];
  if (values === undefined || values === null) return <SparklinePlace />;
  const { what, format } = SERIES[series];
  return <Sparkline label={`${what}, ${HISTORY_DAYS} days`} values={values} format={format} />;
}
