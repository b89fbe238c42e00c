import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { toneStyle } from "./badge.tsx";
import styles from "./banner.module.css";
import { classNames } from "./class-names.ts";

const ICONS = {
  info: <Info />,
  warn: <TriangleAlert />,
  bad: <CircleAlert />,
};

/** A persistent message across a page or panel. */
export function Banner({
  tone,
  actions,
  children,
}: {
  readonly tone: keyof typeof ICONS;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className={classNames("wrap small", styles.banner)} style={toneStyle(tone)} role="status">
      {ICONS[tone]}
      <span className={styles.text}>{children}</span>
      {actions}
    </div>
  );
}
