import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import styles from "./figures.module.css";
import { Skeleton } from "./skeleton.tsx";

export type Figure = {
  readonly name: string;
  /** Undefined while it loads. */
  readonly value: ReactNode | undefined;
  /** Shown under the value. */
  readonly note?: ReactNode;
};

/**
 * Names above their values, side by side, or all on one line that begins with the values; `Facts`
 * is for lists of values to compare.
 */
export function Figures({
  figures,
  look,
  className,
}: {
  readonly figures: readonly Figure[];
  readonly look?: "large" | "line";
  readonly className?: string | undefined;
}) {
  return (
    <dl
      // New elements once all are known: moving the old ones would be a layout shift.
      key={String(figures.some(({ value }) => value === undefined))}
      className={classNames(
        look === "line" ? styles.line : styles.figures,
        look === "large" && styles.large,
        className,
      )}
    >
      {figures.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <Skeleton width="6ch" />}</dd>
          {note !== undefined && (
            <dd>
              <small>{note}</small>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
