import type { ReactNode } from "react";
import styles from "./card.module.css";
import { classNames } from "./class-names.ts";
import { ErrorBoundary } from "./error-boundary.tsx";

/** A titled panel that fails by itself. `flush` lets its content reach the edges, e.g. a table. */
export function Card({
  title,
  actions,
  flush = false,
  children,
}: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly flush?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <section className={classNames(styles.card, flush && styles.flush)}>
      {(title !== undefined || actions !== undefined) && (
        <div className={classNames("between", styles.header)}>
          {title !== undefined && <h2 className={styles.title}>{title}</h2>}
          {actions}
        </div>
      )}
      <div className={styles.body}>
        <ErrorBoundary>{children}</ErrorBoundary>
      </div>
    </section>
  );
}
