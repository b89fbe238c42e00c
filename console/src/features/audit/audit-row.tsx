import { Ban, ChevronRight, CircleCheck } from "lucide-react";
import { useId } from "react";
import type { AuditEntry } from "#contract/audit.ts";
import type { UserId } from "#contract/ids.ts";
import { formatCount, formatDateTime } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { IconButton } from "#console/ui/button.tsx";
import { actionLabel, reasonText } from "./audit-actions.ts";
import styles from "./audit.module.css";
import { AuditDetails } from "./audit-details.tsx";
import { AuditTarget } from "./audit-target.tsx";

export const AUDIT_COLUMNS = [
  { id: "time", header: "Time" },
  { id: "actor", header: "Who" },
  { id: "action", header: "Action" },
  { id: "target", header: "Target" },
  { id: "result", header: "Result" },
  { id: "details", header: "Details", align: "end" },
] as const;

export function AuditRow({
  entry,
  open,
  onToggle,
  onChooseActor,
}: {
  readonly entry: AuditEntry;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly onChooseActor: (userId: UserId) => void;
}) {
  const detailsId = useId();
  const { actor, action, result, reason, count } = entry;
  const label = actionLabel(action);
  return (
    <>
      <tr data-selected={open}>
        <td className={styles.time}>
          <time dateTime={entry.at}>{formatDateTime(new Date(entry.at))}</time>
        </td>
        <td>
          {actor === null ? (
            <span className={styles.faint}>
              {action === "access.refuse" ? "Not signed in" : "The service"}
            </span>
          ) : (
            <button
              type="button"
              className={styles.actor}
              title="Show only what this user did"
              onClick={() => onChooseActor(actor.userId)}
            >
              {visibleText(actor.displayName)}
            </button>
          )}
        </td>
        <td className={styles.actionCell} data-grow="true">
          {label}
          {label !== action && <small className={styles.sub}>{action}</small>}
        </td>
        <td data-grow="rest" className={styles.targetCell}>
          <AuditTarget entry={entry} />
          {reason !== null && <small className={styles.sub}>{reasonText(action, reason)}</small>}
        </td>
        <td className={styles.resultCell}>
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
        </td>
        <td className={styles.end}>
          <IconButton
            label={`Details of entry ${entry.id}`}
            aria-expanded={open}
            aria-controls={open ? detailsId : undefined}
            className={styles.expand ?? ""}
            onClick={onToggle}
          >
            <ChevronRight />
          </IconButton>
        </td>
      </tr>
      {open && (
        <tr id={detailsId}>
          <td colSpan={AUDIT_COLUMNS.length} data-wide="true">
            <AuditDetails entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
}
