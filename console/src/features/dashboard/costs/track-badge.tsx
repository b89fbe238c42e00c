import { CircleCheck, TriangleAlert } from "lucide-react";
import type { Budget } from "#contract/costs.ts";
import { Badge } from "#console/ui/badge.tsx";

/** Whether the month will stay within its budget. */
export function TrackBadge({ budget: { onTrack } }: { readonly budget: Budget }) {
  return (
    <Badge tone={onTrack ? "good" : "bad"} icon={onTrack ? <CircleCheck /> : <TriangleAlert />}>
      {onTrack ? "On Track" : "Over Budget"}
    </Badge>
  );
}
