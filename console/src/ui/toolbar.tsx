import type { ReactNode } from "react";
import styles from "./toolbar.module.css";

/** A row of controls above what they act on; `tools` are at its end. */
export function Toolbar({
  tools,
  children,
}: {
  readonly tools: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles.toolbar}>
      {children}
      <div className={styles.tools}>{tools}</div>
    </div>
  );
}
