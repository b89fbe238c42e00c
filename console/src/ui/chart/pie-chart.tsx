import type { ReactNode } from "react";
import { formatCount, formatPercent } from "#console/lib/format.ts";
import type { Tone } from "../badge.tsx";
import { classNames } from "../class-names.ts";
import styles from "./chart.module.css";

export type Slice = {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  readonly tone: Tone;
  readonly icon: ReactNode;
};

/** The ring's size in pixels; the gap separates neighbours without relying on their colours. */
const RADIUS = 62;
const GAP = 2;

/**
 * Shares of a whole as a ring beside its legend. `renderName` may turn a name into a
 * link.
 */
export function PieChart({
  label,
  slices,
  renderName,
}: {
  readonly label: string;
  readonly slices: readonly Slice[];
  readonly renderName: (slice: Slice) => ReactNode;
}) {
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  const summary = slices.map((slice) => `${slice.label} ${formatCount(slice.value)}`).join(", ");
  return (
    <div className="wrap gap3">
      <svg
        className={styles.ring}
        viewBox="-80 -80 160 160"
        width="96"
        height="96"
        role="img"
        aria-label={`${label}: ${summary}`}
      >
        <circle r={RADIUS} className={styles.ringBase} />
        {arcsOf(slices, total).map(({ id, tone, length, offset }) => (
          <circle
            key={id}
            r={RADIUS}
            className={styles.slice}
            stroke={`var(--${tone})`}
            strokeDasharray={`${length} ${CIRCUMFERENCE}`}
            strokeDashoffset={-offset}
          />
        ))}
      </svg>
      <ul className={classNames("ruled", styles.legend)}>
        {slices.map((slice) => (
          <li key={slice.id} className={classNames("stack small", styles.legendItem)}>
            <span style={{ color: `var(--${slice.tone})` }}>{slice.icon}</span>
            <span className={styles.legendName}>{renderName(slice)}</span>
            <span className="strong">{formatCount(slice.value)}</span>
            <span className={styles.legendShare}>{shareOf(slice.value, total)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const CIRCUMFERENCE = 2 * Math.PI * RADIUS;

function arcsOf(slices: readonly Slice[], total: number) {
  let offset = 0;
  const shown = slices.filter(({ value }) => value > 0);
  return shown.map(({ id, tone, value }) => {
    const share = (value / total) * CIRCUMFERENCE;
    const arc = { id, tone, offset, length: shown.length === 1 ? share : Math.max(share - GAP, 1) };
    offset += share;
    return arc;
  });
}

function shareOf(value: number, total: number): string {
  return formatPercent(total === 0 ? 0 : (value / total) * 100);
}
