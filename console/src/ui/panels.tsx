import type { ReactNode } from "react";
import styles from "./panels.module.css";

/** Cards side by side where there is room: `halves` in two columns, `thirds` in three. */
export function Panels({
  split = "halves",
  children,
}: {
  readonly split?: "halves" | "thirds";
  readonly children: ReactNode;
}) {
  return <div className={styles[split]}>{children}</div>;
}
