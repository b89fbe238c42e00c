import { useQuery } from "@tanstack/react-query";
import { BellRing, CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { CostAlert } from "#contract/costs.ts";
import { formatCount } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { Time } from "#console/ui/time.tsx";
import { useAcknowledge, useCheckAlerts } from "./cost-actions.ts";
import { ALERTS_POLL_MS, alertsQuery } from "./cost-queries.ts";
import { ALERT_LABELS, ALERT_TONES } from "./cost-tones.ts";
import styles from "./costs.module.css";

const ICONS: Readonly<Record<CostAlert["type"], ReactNode>> = {
  budget_exceeded: <CircleAlert />,
  critical: <TriangleAlert />,
  warning: <TriangleAlert />,
  other: <Info />,
};

/** Takes over the focus of the button that it replaces. */
function takeFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus();
}

export function AlertsTab() {
  const alerts = useQuery(alertsQuery());
  const check = useCheckAlerts();
  const acknowledge = useAcknowledge();
  const writeMissing = useMissingPermission("write:system");
  return (
    <QueryBody query={alerts}>
      {({ alerts: list, unacknowledged }) => (
        <div className="stack narrowing gap4">
          <div className="between small">
            <p role="status">{formatCount(unacknowledged)} to acknowledge</p>
            <StaleMark query={alerts} intervalMs={ALERTS_POLL_MS} />
            <Button icon={<BellRing />} busy={check.isPending} onClick={() => check.mutate()}>
              Check for new alerts
            </Button>
          </div>
          {list.length === 0 ? (
            <EmptyState
              title="No cost alerts"
              hint="Each threshold raises one alert per month when spending reaches it."
            />
          ) : (
            <ul className={classNames("ruled small framed", styles.items)}>
              {list.map((alert) => (
                <li key={alert.id} className="wrap gap3">
                  <span className={styles.alertType}>
                    <Badge tone={ALERT_TONES[alert.type]} icon={ICONS[alert.type]}>
                      {ALERT_LABELS[alert.type]}
                    </Badge>
                  </span>
                  <span className={styles.alertText}>
                    {alert.message}
                    <small className="block">
                      {alert.thresholdName !== ALERT_LABELS[alert.type] &&
                        `${alert.thresholdName}, `}
                      <Time at={alert.triggeredAt} />
                    </small>
                  </span>
                  {alert.acknowledged ? (
                    <small
                      ref={acknowledge.variables === alert.id ? takeFocus : undefined}
                      tabIndex={-1}
                    >
                      Acknowledged by {alert.acknowledgedBy ?? "someone"},{" "}
                      <Time at={alert.acknowledgedAt} absent="before" />
                    </small>
                  ) : (
                    <Button
                      disabledReason={writeMissing}
                      busy={acknowledge.isPending && acknowledge.variables === alert.id}
                      aria-label={`Acknowledge ${alert.thresholdName}`}
                      onClick={() => acknowledge.mutate(alert.id)}
                    >
                      Acknowledge
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </QueryBody>
  );
}
