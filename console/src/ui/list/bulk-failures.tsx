import { X } from "lucide-react";
import type { BulkReport } from "#console/lib/bulk-run.ts";
import { formatCount } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { IconButton } from "../button.tsx";
import styles from "./bulk-failures.module.css";

/** Further failures are only counted: the first reasons are enough to read. */
const LISTED = 50;

/** The failed items of a bulk action with their reasons, until dismissed. */
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
