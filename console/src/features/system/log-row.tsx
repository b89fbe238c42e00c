import { Bug, CircleAlert, Info, TriangleAlert } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { LogLevel } from "#contract/values.ts";
import type { LogEntry } from "#contract/system.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { JsonView } from "#console/ui/json-view.tsx";
import { DateTime } from "#console/ui/time.tsx";
import styles from "./system.module.css";

export const LEVELS: Readonly<
  Record<LogLevel, { readonly label: string; readonly tone: Tone; readonly icon: ReactNode }>
> = {
  error: { label: "Error", tone: "bad", icon: <CircleAlert /> },
  warn: { label: "Warning", tone: "warn", icon: <TriangleAlert /> },
  info: { label: "Info", tone: "info", icon: <Info /> },
  debug: { label: "Debug", tone: "neutral", icon: <Bug /> },
};

export function LogRow({ entry }: { readonly entry: LogEntry }) {
  const { level, timestamp, message, meta } = entry;
  const { label, tone, icon } = LEVELS[level];
  const [open, setOpen] = useState(false);
  return (
    <li className={styles.log}>
      <span>
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      </span>
      <span className={classNames("anywhere", styles.message)}>{visibleText(message)}</span>
      <DateTime at={timestamp} className={classNames("note nowrap", styles.when)} />
      {meta !== null && Object.keys(meta).length > 0 && (
        <details className={styles.meta} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="tiny soft">Metadata</summary>
          {open && <JsonView value={meta} label="metadata" />}
        </details>
      )}
    </li>
  );
}
