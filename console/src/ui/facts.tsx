import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import styles from "./facts.module.css";
import { Skeleton } from "./skeleton.tsx";

export type Fact = {
  readonly name: string;
  /** Undefined while it loads. */
  readonly value: ReactNode | undefined;
};

const FACT = classNames("row small", styles.fact);

/** Names on the left, aligned values on the right. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="ruled">
      {facts.map(({ name, value }) => (
        <div key={name} className={FACT}>
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
    <div className="ruled" aria-hidden="true">
      {Array.from({ length: rows }, (_row, row) => (
        <div key={row} className={FACT}>
          <Skeleton width="40%" />
          <Skeleton width="20%" />
        </div>
      ))}
    </div>
  );
}
