import { formatDateTime, formatRelative } from "#console/lib/format.ts";
import { useNow } from "#console/lib/clock.ts";

export function DateTime({
  at,
  className,
}: {
  readonly at: string;
  readonly className?: string | undefined;
}) {
  return (
    <time className={className} dateTime={at}>
      {formatDateTime(new Date(at))}
    </time>
  );
}

/** Relative time; absolute on hover. Absent times read "Never" or the given text. */
export function Time({
  at,
  absent = "Never",
  stepMs = 10_000,
}: {
  readonly at: string | null;
  readonly absent?: string;
  /** How often it may change: each second beside a running duration, to agree with it. */
  readonly stepMs?: number;
}) {
  const nowMs = useNow(stepMs);
  if (at === null) return <span>{absent}</span>;
  const date = new Date(at);
  return (
    <time
      dateTime={at}
      // Not before somebody points at it: a date in the browser's own format is slow to make.
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = formatDateTime(date);
      }}
    >
      {formatRelative(date, nowMs)}
    </time>
  );
}
