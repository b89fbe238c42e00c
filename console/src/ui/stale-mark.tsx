import { History } from "lucide-react";
import { useNow } from "#console/lib/clock.ts";
import { Badge } from "./badge.tsx";
import { isStale } from "./staleness.ts";
import { Time } from "./time.tsx";

/** Says since when nothing new has come, once that is worth knowing. */
export function StaleMark({
  updatedAtMs,
  failing,
  intervalMs,
}: {
  readonly updatedAtMs: number;
  readonly failing: boolean;
  readonly intervalMs: number | false;
}) {
  const nowMs = useNow(5_000);
  if (!failing && !isStale(updatedAtMs, intervalMs, nowMs)) return null;
  return (
    <Badge tone="warn" icon={<History aria-hidden="true" />}>
      <span>
        Stale: <Time at={new Date(updatedAtMs).toISOString()} />
      </span>
    </Badge>
  );
}
