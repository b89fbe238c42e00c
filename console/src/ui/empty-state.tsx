import type { ReactNode } from "react";
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
    <div className={styles.message}>
      <span className={styles.icon}>{icon}</span>
      <p className={styles.title}>{title}</p>
      {hint !== undefined && <p className={styles.text}>{hint}</p>}
      {action !== undefined && <div className={styles.actions}>{action}</div>}
    </div>
  );
}
