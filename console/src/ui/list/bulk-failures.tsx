import { X } from "lucide-react";
import type { BulkReport } from "#console/lib/bulk-run.ts";
import { formatCount } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { IconButton } from "../button.tsx";
import styles from "./bulk-failures.module.css";

/** More are counted: who has hundreds of failures reads the first reasons, not all of them. */
const LISTED = 50;

/** What an action over many could not do, item by item with the reason, until it is put away. */
export function BulkFailures({
  title,
  failures,
  onDismiss,
}: {
  readonly onDismiss: () => void;
} & BulkReport) {
  if (failures.length === 0) return null;
  const rest = failures.length - LISTED;
  return (
    <section className={styles.failures} aria-label={title}>
      <header className={styles.header}>
        <h2 className={styles.title}>{title}</h2>
        <IconButton label="Dismiss" onClick={onDismiss}>
          <X />
        </IconButton>
      </header>
      <ul className={styles.list}>
        {failures.slice(0, LISTED).map(({ name, reason }) => (
          <li key={name}>
            <strong>{visibleText(name)}</strong>: {visibleText(reason)}
          </li>
        ))}
        {rest > 0 && <li>and {formatCount(rest)} more</li>}
      </ul>
    </section>
  );
}
