import type { ReactNode } from "react";
import styles from "./details.module.css";

/** What is known of one thing, a line each; `Facts` is for figures, which are lined up. */
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
