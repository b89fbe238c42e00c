import type { Tone } from "./badge.tsx";
import { classNames } from "./class-names.ts";
import styles from "./progress.module.css";

/** Progress of a job, 0 to 100; null means running without a known progress. */
export function Progress({
  label,
  percent,
  tone = "accent",
}: {
  readonly label: string;
  readonly percent: number | null;
  readonly tone?: Tone;
}) {
  return (
    <div
      className={styles.track}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent === null ? undefined : Math.round(percent)}
    >
      <div
        className={classNames(styles.fill, styles[tone], percent === null && styles.unknown)}
        style={percent === null ? undefined : { transform: `scaleX(${percent / 100})` }}
      />
    </div>
  );
}

/** A value against a limit, e.g. a budget; above 100 it shows as full. */
export function Meter({
  label,
  percent,
  text,
  tone,
}: {
  readonly label: string;
  readonly percent: number;
  readonly text: string;
  readonly tone: Tone;
}) {
  const shown = Math.min(Math.max(percent, 0), 100);
  return (
    <div
      className={styles.track}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(shown)}
      aria-valuetext={text}
    >
      <div
        className={classNames(styles.fill, styles[tone])}
        style={{ transform: `scaleX(${shown / 100})` }}
      />
    </div>
  );
}
