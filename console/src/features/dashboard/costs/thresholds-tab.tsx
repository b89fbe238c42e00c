import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { DataOf } from "#contract/call.ts";
import type { budgets, Threshold } from "#contract/costs.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatPercent, formatUsd } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Button } from "#console/ui/button.tsx";
import { Switch } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Meter } from "#console/ui/progress.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { Time } from "#console/ui/time.tsx";
import { toastError } from "#console/ui/toast-error.ts";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { useSetBudget, useSetThreshold } from "./cost-actions.ts";
import { monthlyBudget, thresholdsQuery } from "./cost-queries.ts";
import { ALERT_LABELS, ALERT_TONES, thresholdTone } from "./cost-tones.ts";
import styles from "./costs.module.css";
import { UsdForm } from "./usd-form.tsx";

export function ThresholdsTab({
  budget,
}: {
  readonly budget: UseQueryResult<DataOf<typeof budgets>>;
}) {
  const thresholds = useQuery(thresholdsQuery());
  const writeMissing = useMissingPermission("write:system");
  return (
    <div className="stack narrowing gap4">
      {writeMissing !== undefined && <small>Shown for reading only. {writeMissing}</small>}
      <QueryBody query={budget}>
        {(data) => <BudgetForm budget={data} writeMissing={writeMissing} />}
      </QueryBody>
      <QueryBody query={thresholds}>
        {(list) => (
          <ul
            className={classNames("ruled small framed", styles.items, styles.thresholds)}
            aria-label="Thresholds"
          >
            {list.map((threshold) => (
              <ThresholdRow key={threshold.id} threshold={threshold} writeMissing={writeMissing} />
            ))}
          </ul>
        )}
      </QueryBody>
    </div>
  );
}

function BudgetForm({
  budget,
  writeMissing,
}: {
  readonly budget: DataOf<typeof budgets>;
  readonly writeMissing: string | undefined;
}) {
  const save = useSetBudget();
  const monthly = monthlyBudget(budget);
  return (
    <div className={classNames("wrap", styles.controls)}>
      {monthly !== undefined && (
        <UsdForm
          label="Monthly budget (USD)"
          amountUsd={monthly.budget}
          disabledReason={writeMissing}
          onSave={(monthlyUsd) => save.mutateAsync({ monthlyUsd })}
        />
      )}
      <Switch
        label="Pause new archives once the budget is spent"
        checked={budget.pauseWhenSpent}
        disabled={writeMissing !== undefined}
        onChange={(pauseWhenSpent) =>
          save.mutate(
            { pauseWhenSpent },
            { onError: (error) => toastError(messageOf(error, "Failed to update budget")) },
          )
        }
      />
    </div>
  );
}

function ThresholdRow({
  threshold,
  writeMissing,
}: {
  readonly threshold: Threshold;
  readonly writeMissing: string | undefined;
}) {
  const save = useSetThreshold();
  const { id, name, percentage } = threshold;
  const percent = formatPercent(percentage);
  const onFailure = {
    onError: (error: Error) => toastError(messageOf(error, "Failed to update threshold")),
  };
  return (
    <li className="stack">
      <div className="wrap">
        <span className="strong">{name}</span>
        {ALERT_LABELS[threshold.type] !== name && (
          <Badge tone={ALERT_TONES[threshold.type]}>{ALERT_LABELS[threshold.type]}</Badge>
        )}
      </div>
      <div className="stack">
        <span>
          {formatUsd(threshold.currentSpend)} of {formatUsd(threshold.threshold)}, {percent}
        </span>
        <Meter
          label={`${name}: spent of the limit`}
          percent={percentage}
          text={percent}
          tone={thresholdTone(percentage)}
        />
      </div>
      <div className={classNames("wrap", styles.controls)}>
        <UsdForm
          label="Limit (USD)"
          name={`Limit (USD) of ${name}`}
          amountUsd={threshold.threshold}
          disabledReason={writeMissing}
          onSave={(limitUsd) => save.mutateAsync({ id, threshold: limitUsd })}
        />
        {threshold.hasOwnAmount && (
          <Button
            kind="quiet"
            disabledReason={writeMissing}
            onClick={() => save.mutate({ id, threshold: null }, onFailure)}
          >
            Use {threshold.budgetPercent}% of the budget
          </Button>
        )}
      </div>
      <small>
        Last triggered: <Time at={threshold.lastTriggered} />
      </small>
      <Switch
        label={
          <>
            Alerts<VisuallyHidden> of {name}</VisuallyHidden>
          </>
        }
        checked={threshold.alertsEnabled}
        disabled={writeMissing !== undefined}
        onChange={(alertsEnabled) => save.mutate({ id, alertsEnabled }, onFailure)}
      />
    </li>
  );
}
