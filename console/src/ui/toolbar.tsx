import type { ReactNode } from "react";
import styles from "./toolbar.module.css";

/** A row of controls above what they act on. */
export function Toolbar({ children }: { readonly children: ReactNode }) {
  return <div className={styles.toolbar}>{children}</div>;
}
