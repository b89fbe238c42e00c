import type { ReactNode } from "react";
import styles from "./badge.module.css";
import { classNames } from "./class-names.ts";

/** `alert` is orange: between a warning and a failure. */
export type Tone = "neutral" | "accent" | "good" | "warn" | "alert" | "bad" | "info";

/** Of a surface with text. */
export function toneStyle(tone: Tone) {
  return { background: `var(--${tone}-soft)`, color: `var(--${tone}-text)` };
}

/** A status in text and colour. Give it an icon where the colour carries meaning. */
export function Badge({
  tone = "neutral",
  icon,
  children,
}: {
  readonly tone?: Tone;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <span className={classNames("tiny strong", styles.badge)} style={toneStyle(tone)}>
      {icon}
      {children}
    </span>
  );
}
