import { formatUsd } from "#console/lib/format.ts";
import { axisUpTo, linePath, areaPath } from "#console/ui/chart/chart-scale.ts";
import styles from "#console/ui/chart/chart.module.css";
import { useElementWidth } from "#console/ui/chart/element-width.ts";
import { LineSwatch } from "#console/ui/chart/lane-chart.tsx";
import { TONE_COLOURS } from "#console/ui/chart/tone-colours.ts";
import type { Burn } from "./month-burn.ts";

const HEIGHT = 200;
const LEFT = 52;
const RIGHT = 8;
const TOP = 8;
const BASE = HEIGHT - 22;

const PROJECTION_DASH = "5 4";
const BUDGET_DASH = "1.5 4";

/** Spending so far, its projection, and the pace that would exactly use up the budget. */
export function BurnChart({
  burn,
  budgetUsd,
  projectedUsd,
}: {
  readonly burn: Burn;
  readonly budgetUsd: number | undefined;
  readonly projectedUsd: number | null;
}) {
  const [plot, width] = useElementWidth<HTMLDivElement>();
  const { dayCount, spentUsd } = burn;
  const spent = spentUsd.at(-1) ?? 0;
  const axis = axisUpTo(Math.max(spent, budgetUsd ?? 0, projectedUsd ?? 0), 4, 0.01);
  // Day 0 is the month's start, with nothing spent.
  const x = (day: number) => LEFT + (day / dayCount) * Math.max(width - LEFT - RIGHT, 0);
  const y = (amountUsd: number) => BASE - (amountUsd / axis.top) * (BASE - TOP);
  const points = [0, ...spentUsd].map((amountUsd, day) => ({ x: x(day), y: y(amountUsd) }));
  const today = { x: x(spentUsd.length), y: y(spent) };
  const summary = [
    `${formatUsd(spent)} spent by day ${spentUsd.length} of ${dayCount}`,
    ...(budgetUsd === undefined ? [] : [`budget ${formatUsd(budgetUsd)}`]),
    ...(projectedUsd === null ? [] : [`projected ${formatUsd(projectedUsd)}`]),
  ].join(", ");
  return (
    <figure className={styles.lane}>
      <div className={styles.plot} ref={plot}>
        <svg height={HEIGHT} role="img" aria-label={`Spending this month: ${summary}`}>
          {axis.ticks.map((tick) => (
            <g key={tick}>
              <line
                className={styles.grid}
                x1={LEFT}
                x2={width - RIGHT}
                y1={y(tick)}
                y2={y(tick)}
              />
              <text className={styles.tick} x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
                {formatUsd(tick)}
              </text>
            </g>
          ))}
          {[1, Math.round(dayCount / 2), dayCount].map((day) => (
            <text
              key={day}
              className={styles.tick}
              x={x(day)}
              y={HEIGHT - 4}
              textAnchor={day === dayCount ? "end" : "middle"}
            >
              Day {day}
            </text>
          ))}
          {budgetUsd !== undefined && (
            <path
              className={styles.line}
              d={linePath([
                { x: x(0), y: y(0) },
                { x: x(dayCount), y: y(budgetUsd) },
              ])}
              stroke={TONE_COLOURS.neutral}
              strokeDasharray={BUDGET_DASH}
            />
          )}
          <path className={styles.area} d={areaPath(points, BASE)} fill={TONE_COLOURS.accent} />
          <path className={styles.line} d={linePath(points)} stroke={TONE_COLOURS.accent} />
          {projectedUsd !== null && (
            <path
              className={styles.line}
              d={linePath([today, { x: x(dayCount), y: y(projectedUsd) }])}
              stroke={TONE_COLOURS.alert}
              strokeDasharray={PROJECTION_DASH}
            />
          )}
          <circle
            className={styles.dot}
            cx={today.x}
            cy={today.y}
            r={4}
            fill={TONE_COLOURS.accent}
          />
        </svg>
      </div>
      <figcaption className={styles.keys}>
        <span className={styles.key}>
          <LineSwatch tone="accent" /> Spent <strong>{formatUsd(spent)}</strong>
        </span>
        <span className={styles.key}>
          <LineSwatch tone="alert" dash={PROJECTION_DASH} /> Projected{" "}
          <strong>{projectedUsd === null ? "Not enough data" : formatUsd(projectedUsd)}</strong>
        </span>
        {budgetUsd !== undefined && (
          <span className={styles.key}>
            <LineSwatch tone="neutral" dash={BUDGET_DASH} /> Even pace up to the budget{" "}
            <strong>{formatUsd(budgetUsd)}</strong>
          </span>
        )}
      </figcaption>
    </figure>
  );
}
