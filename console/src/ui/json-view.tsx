import { visibleText } from "#console/lib/visible-text.ts";
import { CopyButton } from "./copy-button.tsx";
import styles from "./json-view.module.css";

/** Data as formatted JSON, to read and to copy. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className={styles.json}>
      {/* A scrolling region must be reachable by keyboard. */}
      <pre className={styles.text} role="group" aria-label={label} tabIndex={0}>
        {visibleText(text)}
      </pre>
      <span className={styles.copy}>
        <CopyButton text={text} label={`Copy ${label}`} />
      </span>
    </div>
  );
}
