import { useEffect, useState, type ReactNode } from "react";
import { classNames } from "./class-names.ts";
import styles from "./page.module.css";

export const PRODUCT_TITLE = "Vodkeep Preview Admin";

/** Slower content holds nothing back, even if it moves the rest when it arrives. */
const ARRIVING_MS = 2_000;

/**
 * One screen: its title in the page and the tab. The title takes the focus on arrival.
 *
 * While a screen loads, content below a skeleton is hidden (page.module.css), because the final
 * height of the skeleton's content is unknown. So nothing visible moves.
 */
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
  const [isArriving, setArriving] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setArriving(false), ARRIVING_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div
      className={classNames(styles.page, fullWidth && styles.full)}
      data-arriving={isArriving || undefined}
    >
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
