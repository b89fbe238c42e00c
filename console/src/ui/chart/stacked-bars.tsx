import { useState } from "react";
import type { Tone } from "../badge.tsx";
import { axisUpTo, nearestIndex } from "./chart-scale.ts";
import styles from "./chart.module.css";
import { useElementWidth } from "./element-width.ts";
import { TONE_COLOURS } from "./tone-colours.ts";

export type BarSeries<Key extends string> = {
  readonly key: Key;
  readonly label: string;
  readonly tone: Tone;
};

export type Bar<Key extends string> = {
  readonly name: string;
  readonly values: Readonly<Record<Key, number>>;
};

const HEIGHT = 180;
const LEFT = 52;
const TOP = 8;
const BASE = HEIGHT - 22;
const MAX_BAR_WIDTH = 28;

/** Stacked bars over time; pointing at one shows its figures in the legend. */
export function StackedBars<Key extends string>({
  label,
  series,
  bars,
  format,
  smallestStep,
}: {
  readonly label: string;
  readonly series: readonly BarSeries<Key>[];
  readonly bars: readonly Bar<Key>[];
  readonly format: (value: number) => string;
  readonly smallestStep: number;
}) {
  const [plot, width] = useElementWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number | null>(null);
  const sumOf = ({ values }: Bar<Key>) => series.reduce((sum, { key }) => sum + values[key], 0);
  const axis = axisUpTo(Math.max(0, ...bars.map(sumOf)), 4, smallestStep);
  const innerWidth = Math.max(width - LEFT, 0);
  const slot = innerWidth / Math.max(bars.length, 1);
  const barWidth = Math.min(slot * 0.7, MAX_BAR_WIDTH);
  const y = (value: number) => BASE - (value / axis.top) * (BASE - TOP);
  const shown = bars[pointed ?? bars.length - 1];
  const labelEvery = Math.max(1, Math.ceil(48 / Math.max(slot, 1)));
  return (
    <figure
      className={styles.lane}
      onPointerMove={(event) => {
        const left = event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT;
        setPointed(nearestIndex((left - slot / 2) / (innerWidth - slot || 1), bars.length));
      }}
      onPointerLeave={() => setPointed(null)}
    >
      <div className={styles.plot} ref={plot}>
        <svg height={HEIGHT} role="img" aria-label={label}>
          {axis.ticks.map((tick) => (
            <g key={tick}>
              <line className={styles.grid} x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
              <text className={styles.tick} x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {bars.map((bar, index) => {
            const middle = LEFT + slot * (index + 0.5);
            return (
              <g key={bar.name}>
                <rect
                  className={styles.barHit}
                  data-active={index === pointed}
                  x={middle - slot / 2}
                  y={TOP}
                  width={slot}
                  height={BASE - TOP}
                />
                {partsOf(bar, series).map(({ key, tone, from, to }) => (
                  <rect
                    key={key}
                    className={styles.bar}
                    fill={TONE_COLOURS[tone]}
                    x={middle - barWidth / 2}
                    width={barWidth}
                    y={y(to)}
                    height={Math.max(y(from) - y(to), 0)}
                  />
                ))}
                {(bars.length - 1 - index) % labelEvery === 0 && (
                  <text className={styles.tick} x={middle} y={HEIGHT - 4} textAnchor="middle">
                    {bar.name}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
      <figcaption className={styles.keys}>
        {shown !== undefined && (
          <span className={styles.key}>
            {shown.name}: <strong>{format(sumOf(shown))}</strong>
          </span>
        )}
        {series.map(({ key, label: name, tone }) => (
          <span key={key} className={styles.key}>
            <span className={styles.square} style={{ background: TONE_COLOURS[tone] }} />
            {name} {shown !== undefined && <strong>{format(shown.values[key])}</strong>}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function partsOf<Key extends string>(bar: Bar<Key>, series: readonly BarSeries<Key>[]) {
  let from = 0;
  return series
    .map(({ key, tone }) => {
      const part = { key, tone, from, to: from + bar.values[key] };
      from = part.to;
      return part;
    })
    .filter((part) => part.to > part.from);
}
