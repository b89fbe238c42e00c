import { queryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from "lucide-react";
import { useState } from "react";
import { systemHistory, type HistoryRange } from "#contract/system-history.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useListAddress } from "#console/lib/use-list.ts";
import { IconButton } from "#console/ui/button.tsx";
import { FEWEST_SELECTED } from "#console/ui/chart/chart-scale.ts";
import { classNames } from "#console/ui/class-names.ts";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Select } from "#console/ui/select.tsx";
import { HistoryLanes, pointsOf, type Point } from "./history-lanes.tsx";
import type { SystemSearch } from "./system-search.ts";
import styles from "./system.module.css";

/** The service samples each minute. */
const HISTORY_POLL_MS = 60_000;

const DEFAULT_RANGE: HistoryRange = "day";

const RANGES = [
  { value: "hour", label: "Last hour" },
  { value: "day", label: "Last day" },
  { value: "week", label: "Last week" },
  { value: "month", label: "Last month" },
] as const;

const route = getRouteApi("/system");

function historyQuery(range: HistoryRange) {
  return queryOptions({
    queryKey: [...keyOf(systemHistory), range],
    queryFn: () => call(systemHistory, { query: { range } }),
    staleTime: HISTORY_POLL_MS,
  });
}

/** The first and the last point shown. */
type Span = { readonly from: number; readonly to: number };

/** The later half. */
export function zoomIn({ from, to }: Span): Span {
  return { from: Math.min(Math.ceil((from + to) / 2), to - FEWEST_SELECTED + 1), to };
}

/** Moves it by half of its length, as far as there are points. */
export function moveSpan({ from, to }: Span, direction: -1 | 1, points: number): Span {
  const wanted = direction * Math.ceil((to - from) / 2);
  const by = Math.min(Math.max(wanted, -from), points - 1 - to);
  return { from: from + by, to: to + by };
}

/** Times, so that the span stays where it is while newer samples arrive. */
type Zoom = { readonly fromMs: number; readonly toMs: number };

export function HistoryCard() {
  const { history: range = DEFAULT_RANGE } = route.useSearch();
  const { change } = useListAddress<SystemSearch>(route.useNavigate());
  const history = usePolling(useQuery(historyQuery(range)), HISTORY_POLL_MS);
  const [zoom, setZoom] = useState<Zoom | null>(null);
  const points = history.data && pointsOf(history.data);
  const span = points && spanOf(points, zoom);
  function showSpan({ from, to }: Span) {
    if (points === undefined) return;
    setZoom({ fromMs: points.at(from)?.atMs ?? 0, toMs: points.at(to)?.atMs ?? 0 });
  }
  function changeRange(chosen: HistoryRange) {
    setZoom(null);
    change({ history: chosen === DEFAULT_RANGE ? undefined : chosen }, true);
  }
  return (
    <QueryCard
      title="History"
      query={history}
      permission="read:system"
      intervalMs={HISTORY_POLL_MS}
      skeleton={<div className={styles.history} data-skeleton="" />}
      actions={
        <div className={classNames("wrap end", styles.tools)}>
          <ZoomButtons
            span={span}
            points={points?.length ?? 0}
            onChange={showSpan}
            onReset={() => setZoom(null)}
          />
          <Select label="Range" value={range} options={RANGES} onChange={changeRange} />
        </div>
      }
    >
      {({ marks, stepSec }) => (
        <div className={classNames("stack gap3", styles.history)}>
          {points !== undefined && span !== undefined && (
            <HistoryLanes
              points={points.slice(span.from, span.to + 1)}
              stepSec={stepSec}
              marks={marks}
              onSelect={(from, to) => showSpan({ from: span.from + from, to: span.from + to })}
            />
          )}
        </div>
      )}
    </QueryCard>
  );
}

/** All points, also once the span is older than they are. */
function spanOf(points: readonly Point[], zoom: Zoom | null): Span {
  const from = points.findIndex(({ atMs }) => zoom !== null && atMs >= zoom.fromMs);
  const to = points.findLastIndex(({ atMs }) => zoom !== null && atMs <= zoom.toMs);
  if (from < 0 || to - from + 1 < FEWEST_SELECTED) return { from: 0, to: points.length - 1 };
  return { from, to };
}

function ZoomButtons({
  span,
  points,
  onChange,
  onReset,
}: {
  readonly span: Span | undefined;
  readonly points: number;
  readonly onChange: (span: Span) => void;
  readonly onReset: () => void;
}) {
  const shown = span === undefined ? 0 : span.to - span.from + 1;
  const change = (next: (span: Span) => Span) => () => span !== undefined && onChange(next(span));
  return (
    <>
      <IconButton
        label="Earlier"
        disabled={span === undefined || span.from === 0}
        onClick={change((old) => moveSpan(old, -1, points))}
      >
        <ChevronLeft />
      </IconButton>
      <IconButton
        label="Later"
        disabled={span === undefined || span.to === points - 1}
        onClick={change((old) => moveSpan(old, 1, points))}
      >
        <ChevronRight />
      </IconButton>
      <IconButton label="Zoom in" disabled={shown <= FEWEST_SELECTED} onClick={change(zoomIn)}>
        <ZoomIn />
      </IconButton>
      <IconButton label="Reset zoom" disabled={shown === points} onClick={onReset}>
        <ZoomOut />
      </IconButton>
    </>
  );
}
