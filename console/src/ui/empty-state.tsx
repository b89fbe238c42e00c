import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import layout from "./layout.module.css";
import styles from "./message.module.css";

export function EmptyState({
  icon,
  title,
  hint,
  action,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly hint?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className={classNames(layout.stack, styles.message)}>
      <span className={classNames(layout.centre, styles.icon)}>{icon}</span>
      <p className={styles.title}>{title}</p>
      {hint !== undefined && (
        <p className={classNames(layout.small, layout.soft, styles.text)}>{hint}</p>
      )}
      {action !== undefined && (
        <div className={classNames(layout.wrap, styles.actions)}>{action}</div>
      )}
    </div>
  );
}
