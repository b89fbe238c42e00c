import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { FAILED, SharedFailure, useManyFailed } from "#console/lib/failed-queries.ts";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";
import styles from "./page.module.css";

export const PRODUCT_TITLE = "Vodkeep Preview Admin";

/** What the router gives to each screen. */
export type ScreenProps = { readonly title: string };

/**
 * One screen: its title in the page and the tab. The title takes the focus on arrival. Whatever
 * loads reserves its final height with a skeleton, so that nothing moves when it arrives.
 */
export function Page({
  title,
  subtitle,
  actions,
  className,
  fullWidth = false,
  hasParts = false,
  children,
}: {
  readonly title: string;
  readonly subtitle?: ReactNode;
  readonly actions?: ReactNode;
  /** Of a grid that holds the header and the children. */
  readonly className?: string | undefined;
  readonly fullWidth?: boolean;
  /** Its parts load by themselves; if several fail, one banner says so. */
  readonly hasParts?: boolean;
  readonly children: ReactNode;
}) {
  const manyFailed = useManyFailed();
  const hasBanner = hasParts && manyFailed;
  return (
    <div
      className={classNames("stack gap4", styles.page, className)}
      data-full-width={fullWidth || undefined}
    >
      <title>{`${title} · ${PRODUCT_TITLE}`}</title>
      <header className={classNames("between", styles.header)}>
        <div>
          <h1 tabIndex={-1} data-page-title="">
            {title}
          </h1>
          {subtitle !== undefined && <p className="small soft">{subtitle}</p>}
        </div>
        {actions !== undefined && (
          <div className={classNames("wrap", styles.actions)}>{actions}</div>
        )}
      </header>
      {hasBanner && <FailureBanner />}
      <SharedFailure value={hasBanner}>{children}</SharedFailure>
    </div>
  );
}

/** Replaces the messages of the screen's failed parts. */
function FailureBanner() {
  const client = useQueryClient();
  const error = client.getQueryCache().findAll(FAILED)[0]?.state.error;
  return (
    <Banner
      tone="bad"
      actions={<Button onClick={() => void client.refetchQueries(FAILED)}>Retry</Button>}
    >
      Parts of this screen could not be loaded. {messageOf(error)}
    </Banner>
  );
}
