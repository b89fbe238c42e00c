import type { ReactNode } from "react";
import styles from "./facts.module.css";
import { Skeleton } from "./skeleton.tsx";

export type Fact = {
  readonly name: string;
  /** Undefined while it loads. */
  readonly value: ReactNode | undefined;
};

/** Names on the left, aligned values on the right. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value }) => (
        <div key={name} className={styles.fact}>
          <dt>{name}</dt>
          <dd>{value === undefined ? <Skeleton width="6ch" /> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The same layout while the values load. */
export function SkeletonFacts({ rows }: { readonly rows: number }) {
  return (
    <div className={styles.facts} aria-hidden="true">
      {Array.from({ length: rows }, (_row, row) => (
        <div key={row} className={styles.fact}>
          <Skeleton width="40%" />
          <Skeleton width="20%" />
        </div>
      ))}
    </div>
  );
}
