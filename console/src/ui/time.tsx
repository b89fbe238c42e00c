import { formatDateTime, formatRelative } from "#console/lib/format.ts";
import { useNow } from "#console/lib/clock.ts";
import { Tooltip } from "./tooltip.tsx";
import styles from "./time.module.css";

/** Relative time; absolute on hover and focus. Absent times read "Never" or the given text. */
export function Time({
  at,
  absent = "Never",
}: {
  readonly at: string | null;
  readonly absent?: string;
}) {
  const nowMs = useNow(10_000);
  if (at === null) return <span>{absent}</span>;
  const date = new Date(at);
  return (
    <Tooltip text={formatDateTime(date)}>
      {/* Not a control, but its exact value must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <time className={styles.time} dateTime={at} tabIndex={0}>
        {formatRelative(date, nowMs)}
      </time>
    </Tooltip>
  );
}
