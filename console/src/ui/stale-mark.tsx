import type { UseQueryResult } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useNow } from "#console/lib/clock.ts";
import { Badge } from "./badge.tsx";
import { isStale } from "./staleness.ts";
import { Time } from "./time.tsx";

/** Shows the age of the data after an error or several missed polls. */
export function StaleMark({
  query: { data, dataUpdatedAt, isError },
  intervalMs,
}: {
  readonly query: Pick<UseQueryResult, "data" | "dataUpdatedAt" | "isError">;
  /** Polling interval; false while paused. */
  readonly intervalMs: number | false;
}) {
  const nowMs = useNow(5_000);
  if (data === undefined) return null;
  if (!isError && !isStale(dataUpdatedAt, intervalMs, nowMs)) return null;
  return (
    <Badge tone="warn" icon={<History aria-hidden="true" />}>
      <span>
        Stale: <Time at={new Date(dataUpdatedAt).toISOString()} />
      </span>
    </Badge>
  );
}
