import type { Tone } from "./badge.tsx";
import { classNames } from "./class-names.ts";
import styles from "./progress.module.css";

type BarProps = {
  readonly label: string;
  readonly percent: number | null;
  readonly tone?: Tone;
  readonly text?: string;
};

/** Progress of a job, 0 to 100; null means running without a known progress. */
export function Progress(props: Omit<BarProps, "text">) {
  return <Bar kind="progressbar" {...props} />;
}

/** A value against a limit, e.g. a budget; above 100 it shows as full. */
export function Meter({ percent, ...props }: Required<BarProps> & { readonly percent: number }) {
  return <Bar kind="meter" percent={Math.min(Math.max(percent, 0), 100)} {...props} />;
}

function Bar({
  kind,
  label,
  percent,
  tone = "accent",
  text,
}: BarProps & { readonly kind: "progressbar" | "meter" }) {
  return (
    <div
      className={styles.track}
      role={kind}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent === null ? undefined : Math.round(percent)}
      aria-valuetext={text}
    >
      <div
        className={classNames(styles.fill, percent === null && styles.unknown)}
        style={{
          color: `var(--${tone === "warn" ? "yellow" : tone})`,
          ...(percent !== null && { transform: `scaleX(${percent / 100})` }),
        }}
      />
    </div>
  );
}
