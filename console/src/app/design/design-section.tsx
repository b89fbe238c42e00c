import type { ReactNode } from "react";
import { Card } from "#console/ui/card.tsx";
import styles from "./design-page.module.css";

export function Section({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <Card title={title}>
      <div className={styles.column}>{children}</div>
    </Card>
  );
}

export function Samples({ children }: { readonly children: ReactNode }) {
  return <div className={styles.samples}>{children}</div>;
}
