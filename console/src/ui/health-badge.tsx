import { CircleAlert, CircleCheck, CircleHelp, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { HealthStatus } from "#contract/system.ts";
import { Badge, type Tone } from "./badge.tsx";

const TONES: Readonly<Record<HealthStatus, Tone>> = {
  healthy: "good",
  degraded: "warn",
  unhealthy: "bad",
  unknown: "neutral",
};

const ICONS: Readonly<Record<HealthStatus, ReactNode>> = {
  healthy: <CircleCheck aria-hidden="true" />,
  degraded: <TriangleAlert aria-hidden="true" />,
  unhealthy: <CircleAlert aria-hidden="true" />,
  unknown: <CircleHelp aria-hidden="true" />,
};

export function HealthBadge({ status }: { readonly status: HealthStatus }) {
  return (
    <Badge tone={TONES[status]} icon={ICONS[status]}>
      {status}
    </Badge>
  );
}
