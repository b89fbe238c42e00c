import { classNames } from "#console/ui/class-names.ts";
import { PRODUCT_TITLE } from "#console/ui/page.tsx";
import { Spinner } from "#console/ui/spinner.tsx";
import styles from "./loading-gate.module.css";

export function LoadingGate({
  text = "Checking authentication status",
}: {
  readonly text?: string;
}) {
  return (
    <main className={classNames("centre", styles.gate)}>
      <title>{PRODUCT_TITLE}</title>
      <div className={classNames("stack soft", styles.loading)} role="status">
        <Spinner />
        <h1 className={styles.loadingTitle}>Loading...</h1>
        <p>{text}</p>
      </div>
    </main>
  );
}
