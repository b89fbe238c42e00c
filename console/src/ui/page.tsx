import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import styles from "./page.module.css";

export const PRODUCT_TITLE = "Vodkeep Preview Admin";

/** One screen: its title in the page, in the tab and as what the focus goes to on arrival. */
export function Page({
  title,
  subtitle,
  actions,
  fullWidth = false,
  children,
}: {
  readonly title: string;
  readonly subtitle?: ReactNode;
  readonly actions?: ReactNode;
  readonly fullWidth?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className={classNames(styles.page, fullWidth && styles.full)}>
      <title>{`${title} · ${PRODUCT_TITLE}`}</title>
      <header className={styles.header}>
        <div>
          <h1 className={styles.title} tabIndex={-1} data-page-title="">
            {title}
          </h1>
          {subtitle !== undefined && <p className={styles.subtitle}>{subtitle}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
