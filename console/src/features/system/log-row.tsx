import { Bug, CircleAlert, Info, TriangleAlert } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { LogLevel } from "#contract/values.ts";
import type { LogEntry } from "#contract/system.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { JsonView } from "#console/ui/json-view.tsx";
import { DateTime } from "#console/ui/time.tsx";
import { LOG_LEVEL_LABELS, LOG_LEVEL_TONES } from "./log-levels.ts";
import styles from "./system.module.css";

const ICONS: Readonly<Record<LogLevel, ReactNode>> = {
  error: <CircleAlert aria-hidden="true" />,
  warn: <TriangleAlert aria-hidden="true" />,
  info: <Info aria-hidden="true" />,
  debug: <Bug aria-hidden="true" />,
};

export function LogRow({ entry }: { readonly entry: LogEntry }) {
  const { level, timestamp, message, meta } = entry;
  const [open, setOpen] = useState(false);
  return (
    <li className={styles.log}>
      <span>
        <Badge tone={LOG_LEVEL_TONES[level]} icon={ICONS[level]}>
          {LOG_LEVEL_LABELS[level]}
        </Badge>
      </span>
      <span className={styles.message}>{visibleText(message)}</span>
      <DateTime at={timestamp} className={styles.when} />
      {meta !== null && Object.keys(meta).length > 0 && (
        <details className={styles.meta} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Metadata</summary>
          {open && <JsonView value={meta} label="metadata" />}
        </details>
      )}
    </li>
  );
}
