import type { ReactNode } from "react";
import styles from "./details.module.css";

/** Properties of one thing, one per line; `Facts` is for figures, which are aligned. */
export function Details({ children }: { readonly children: ReactNode }) {
  return <dl className={styles.details}>{children}</dl>;
}

export function Detail({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
