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

/** Names above their values, side by side; `Facts` is for lists of values to compare. */
export function Figures({
  figures,
  large = false,
}: {
  readonly figures: readonly Figure[];
  readonly large?: boolean;
}) {
  return (
    <dl className={classNames(styles.figures, large && styles.large)}>
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
