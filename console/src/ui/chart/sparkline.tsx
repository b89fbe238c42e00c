import { classNames } from "../class-names.ts";
import layout from "../layout.module.css";
import { linePath, stretchesOf, type ChartPoint } from "./chart-scale.ts";
import styles from "./sparkline.module.css";

const WIDTH = 72;
const HEIGHT = 22;
/** Keeps the line's stroke inside. */
const EDGE = 2;

/**
 * A small chart of a number's history, with a caption. Missing values leave gaps; with
 * fewer than two values nothing is drawn, but the space stays reserved.
 */
export function Sparkline({
  label,
  caption,
  values,
  format,
}: {
  /** What the values are, e.g. "Uploads per day over 14 days". */
  readonly label: string;
  /** What they say in a few words, e.g. "0–9 a day", from the known values. */
  readonly caption: (known: readonly number[]) => string;
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
}) {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined || known.length < 2) {
    return (
      <span className={classNames(layout.note, styles.figure)}>
        <svg className={styles.sparkline} width={WIDTH} height={HEIGHT} aria-hidden="true" />
        {"\u00A0"}
      </span>
    );
  }
  const lowest = Math.min(...known);
  const highest = Math.max(...known);
  const summary = `${label}: lowest ${format(lowest)}, highest ${format(highest)}, last ${format(last)}`;
  return (
    <span className={classNames(layout.note, styles.figure)} title={summary}>
      <svg
        className={styles.sparkline}
        width={WIDTH}
        height={HEIGHT}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={summary}
      >
        {stretchesOf(pointsOf(values, lowest, highest)).map((points, index) => (
          <path key={index} d={linePath(points)} className={styles.line} />
        ))}
      </svg>
      <span aria-hidden="true">{caption(known)}</span>
    </span>
  );
}

/** Null for a gap; a flat line is at the bottom if it is zero, else in the middle. */
function pointsOf(
  values: readonly (number | null)[],
  lowest: number,
  highest: number,
): readonly (ChartPoint | null)[] {
  const step = (WIDTH - 2 * EDGE) / (values.length - 1);
  const inner = HEIGHT - 2 * EDGE;
  return values.map((value, index) => {
    if (value === null) return null;
    const share =
      highest === lowest ? (highest === 0 ? 0 : 0.5) : (value - lowest) / (highest - lowest);
    return { x: EDGE + index * step, y: HEIGHT - EDGE - share * inner };
  });
}
