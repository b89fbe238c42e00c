import { linePath, type ChartPoint } from "./chart-scale.ts";
import styles from "./sparkline.module.css";

const WIDTH = 72;
const HEIGHT = 22;
/** Keeps the line's stroke inside. */
const EDGE = 2;

/** Reserves a sparkline's space, so that its neighbours do not move. */
export function SparklinePlace() {
  return <svg className={styles.sparkline} width={WIDTH} height={HEIGHT} aria-hidden="true" />;
}

/**
 * A small chart of a number's history beside the number. Missing values leave gaps; with fewer than
 * two values nothing is drawn.
 */
export function Sparkline({
  label,
  values,
  format,
}: {
  /** What the values are, e.g. "Uploads a day over 14 days". */
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
}) {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined || known.length < 2) return <SparklinePlace />;
  const lowest = Math.min(...known);
  const highest = Math.max(...known);
  const summary = `${label}: lowest ${format(lowest)}, highest ${format(highest)}, last ${format(last)}`;
  return (
    <svg
      className={styles.sparkline}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={summary}
    >
      {stretchesOf(values, lowest, highest).map((points, index) => (
        <path key={index} d={linePath(points)} className={styles.line} />
      ))}
    </svg>
  );
}

/** The lines between gaps; a flat one is at the bottom if it is zero, else in the middle. */
function stretchesOf(
  values: readonly (number | null)[],
  lowest: number,
  highest: number,
): readonly (readonly ChartPoint[])[] {
  const step = (WIDTH - 2 * EDGE) / (values.length - 1);
  const inner = HEIGHT - 2 * EDGE;
  const stretches: ChartPoint[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) {
      stretches.push([]);
      continue;
    }
    const share =
      highest === lowest ? (highest === 0 ? 0 : 0.5) : (value - lowest) / (highest - lowest);
    stretches.at(-1)?.push({ x: EDGE + index * step, y: HEIGHT - EDGE - share * inner });
  }
  return stretches.filter((stretch) => stretch.length > 0);
}
