import { Ban, ChevronRight, CircleCheck } from "lucide-react";
import type { AuditEntry } from "#contract/audit.ts";
import type { UserId } from "#contract/ids.ts";
import { formatCount } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { IconButton } from "#console/ui/button.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { DateTime } from "#console/ui/time.tsx";
import { actionLabel, reasonText } from "./audit-actions.ts";
import styles from "./audit.module.css";
import { AuditTarget } from "./audit-target.tsx";

export function auditColumns(
  onChooseActor: (userId: UserId) => void,
): readonly Column<AuditEntry>[] {
  return [
    {
      id: "time",
      header: "Time",
      cell: ({ at }) => <DateTime at={at} />,
      className: styles.time,
      fixed: true,
    },
    {
      id: "actor",
      header: "Who",
      cell: (entry) => <Actor entry={entry} onChoose={onChooseActor} />,
    },
    {
      id: "action",
      header: "Action",
      cell: ({ action }) => (
        <>
          {actionLabel(action)}
          {actionLabel(action) !== action && <small className={styles.sub}>{action}</small>}
        </>
      ),
      className: styles.actionCell,
      phone: "grow",
    },
    {
      id: "target",
      header: "Target",
      cell: (entry) => (
        <>
          <AuditTarget entry={entry} />
          {entry.reason !== null && (
            <small className={styles.sub}>{reasonText(entry.action, entry.reason)}</small>
          )}
        </>
      ),
      className: styles.targetCell,
      phone: "rest",
    },
    {
      id: "result",
      header: "Result",
      cell: ({ result, count }) => (
        <>
          {result === "done" ? (
            <Badge tone="good" icon={<CircleCheck aria-hidden="true" />}>
              Done
            </Badge>
          ) : (
            <Badge tone="bad" icon={<Ban aria-hidden="true" />}>
              Refused
            </Badge>
          )}
          {count > 1 && <small className={styles.sub}>{formatCount(count)} times</small>}
        </>
      ),
      className: styles.resultCell,
    },
    {
      id: "details",
      header: "Details",
      cell: ({ id }, expander) => (
        <IconButton {...expander} label={`Details of entry ${id}`} className={styles.expand ?? ""}>
          <ChevronRight />
        </IconButton>
      ),
      align: "end",
      className: styles.detailsCell,
      fixed: true,
    },
  ];
}

function Actor({
  entry: { actor, action },
  onChoose,
}: {
  readonly entry: AuditEntry;
  readonly onChoose: (userId: UserId) => void;
}) {
  if (actor === null) {
    return (
      <span className={styles.faint}>
        {action === "access.refuse" ? "Not signed in" : "The service"}
      </span>
    );
  }
  return (
    <button
      type="button"
      className={styles.actor}
      title="Show only this user's actions"
      onClick={() => onChoose(actor.userId)}
    >
      {visibleText(actor.displayName)}
    </button>
  );
}
