import type { ReactNode } from "react";
import { classNames } from "#console/ui/class-names.ts";
import { PRODUCT_TITLE } from "#console/ui/page.tsx";
import { ProductMark } from "#console/ui/product-mark.tsx";
import styles from "./gate.module.css";
import frame from "./loading-gate.module.css";

/**
 * Frame of the screens before the console. Focuses the title, so that screen readers announce the
 * end of a session.
 */
export function Gate({
  title,
  text,
  wide = false,
  children,
}: {
  readonly title: string;
  readonly text: string;
  /** For more than a few lines of text. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <main className={classNames("centre", frame.gate)}>
      <title>{`${title} · ${PRODUCT_TITLE}`}</title>
      <div className={classNames("stack gap4", styles.card, wide && styles.wide)}>
        <ProductMark size={44} />
        <div className="stack gap1">
          <h1 ref={focusOnMount} tabIndex={-1}>
            {title}
          </h1>
          <p className="soft">{text}</p>
        </div>
        {children}
      </div>
    </main>
  );
}

function focusOnMount(title: HTMLElement | null): void {
  title?.focus();
}

export function GateNotice({
  icon,
  title,
  role,
  children,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  /** "status" for a notice that appears later. */
  readonly role?: "status";
  readonly children: ReactNode;
}) {
  return (
    <div className={classNames("row top gap3 small box", styles.notice)} role={role}>
      {icon}
      <div>
        <h2>{title}</h2>
        <p className="soft">{children}</p>
      </div>
    </div>
  );
}
