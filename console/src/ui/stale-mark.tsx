import type { UseQueryResult } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useNow } from "#console/lib/clock.ts";
import { isStale } from "#console/lib/polling.ts";
import { useServerStatus } from "#console/lib/server-status.ts";
import { Badge } from "./badge.tsx";
import { Time } from "./time.tsx";

/**
 * Shows the age of the data after an error or several missed polls. While the server gives no
 * answers at all, a banner says so once for the whole screen.
 */
export function StaleMark({
  query: { data, dataUpdatedAt, isError },
  intervalMs,
}: {
  readonly query: Pick<UseQueryResult, "data" | "dataUpdatedAt" | "isError">;
  /** Polling interval; false while paused. */
  readonly intervalMs: number | false;
}) {
  const nowMs = useNow(5_000);
  const isServerOnline = useServerStatus() === "Online";
  if (data === undefined || !isServerOnline) return null;
  if (!isError && !isStale(dataUpdatedAt, intervalMs, nowMs)) return null;
  return (
    <Badge tone="warn" icon={<History />}>
      <span>
        Stale: <Time at={new Date(dataUpdatedAt).toISOString()} />
      </span>
    </Badge>
  );
}
