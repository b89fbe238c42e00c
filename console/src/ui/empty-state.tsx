import type { ReactNode } from "react";
import { toneStyle } from "./badge.tsx";
import { classNames } from "./class-names.ts";
import layout from "./layout.module.css";
import styles from "./message.module.css";

/** What stands in place of content; an error is announced. */
export function EmptyState({
  icon,
  title,
  hint,
  detail,
  action,
  isError = false,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly hint?: ReactNode;
  readonly detail?: string | undefined;
  readonly action?: ReactNode;
  readonly isError?: boolean;
}) {
  return (
    <div className={classNames(layout.stack, styles.message)} role={isError ? "alert" : undefined}>
      <span
        className={classNames(layout.centre, styles.icon)}
        style={toneStyle(isError ? "bad" : "neutral")}
      >
        {icon}
      </span>
      <p className={styles.title}>{title}</p>
      {hint !== undefined && (
        <p className={classNames(layout.small, layout.soft, styles.text)}>{hint}</p>
      )}
      {detail !== undefined && (
        <p className={classNames(layout.small, layout.soft, styles.text)}>{detail}</p>
      )}
      {action !== undefined && (
        <div className={classNames(layout.wrap, styles.actions)}>{action}</div>
      )}
    </div>
  );
}
