import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import styles from "./message.module.css";

/** What stands in place of content; an error is announced. */
export function EmptyState({
  title,
  hint,
  detail,
  action,
  isError = false,
}: {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly detail?: string | undefined;
  readonly action?: ReactNode;
  readonly isError?: boolean;
}) {
  return (
    <div className={classNames("stack", styles.message)} role={isError ? "alert" : undefined}>
      <p className="row strong">
        {isError && <TriangleAlert color="var(--bad)" />}
        {title}
      </p>
      {hint !== undefined && <p className={classNames("small soft", styles.text)}>{hint}</p>}
      {detail !== undefined && <p className={classNames("small soft", styles.text)}>{detail}</p>}
      {action !== undefined && <div className={classNames("wrap", styles.actions)}>{action}</div>}
    </div>
  );
}
