import type { ReactNode } from "react";
import styles from "./panels.module.css";

/** Cards side by side where there is room: in halves, or a wide one before two narrow ones. */
export function Panels({
  split = "halves",
  children,
}: {
  readonly split?: "halves" | "wide-first";
  readonly children: ReactNode;
}) {
  return <div className={split === "halves" ? styles.halves : styles.wideFirst}>{children}</div>;
}
