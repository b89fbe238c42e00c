import { Link, type LinkProps } from "@tanstack/react-router";
import { Ban, ChevronRight, CircleCheck } from "lucide-react";
import type { AuditEntry } from "#contract/audit.ts";
import { objectKeySchema } from "#contract/files.ts";
import { userIdSchema, type UserId } from "#contract/ids.ts";
import { formatCount } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { IconButton } from "#console/ui/button.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { DateTime } from "#console/ui/time.tsx";
import { actionLabel, reasonText } from "./audit-actions.ts";
import { classNames } from "#console/ui/class-names.ts";
import styles from "./audit.module.css";

const SUB = "block anywhere";

export function auditColumns(
  onChooseActor: (userId: UserId) => void,
): readonly Column<AuditEntry>[] {
  return [
    {
      id: "time",
      header: "Time",
      cell: ({ at }) => <DateTime at={at} />,
      className: classNames("nowrap", styles.time),
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
          {actionLabel(action) !== action && <small className="block nowrap">{action}</small>}
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
            <small className={SUB}>{reasonText(entry.action, entry.reason)}</small>
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
            <Badge tone="good" icon={<CircleCheck />}>
              Done
            </Badge>
          ) : (
            <Badge tone="bad" icon={<Ban />}>
              Refused
            </Badge>
          )}
          {count > 1 && <small className={SUB}>{formatCount(count)} times</small>}
        </>
      ),
      className: styles.resultCell,
    },
    {
      id: "details",
      header: "Details",
      cell: ({ id }, expander) => (
        <IconButton {...expander} label={`Details of entry ${id}`} className="turning">
          <ChevronRight />
        </IconButton>
      ),
      align: "end",
      className: styles.detailsCell,
    },
  ];
}

function Actor({
  entry: { actor, action, token },
  onChoose,
}: {
  readonly entry: AuditEntry;
  readonly onChoose: (userId: UserId) => void;
}) {
  if (actor === null) {
    return (
      <span className="faint small">
        {action === "access.refuse" ? "Not signed in" : "The service"}
      </span>
    );
  }
  return (
    <>
      {token !== null && <p className="note anywhere">Token {visibleText(token.name)} of</p>}
      <button
        type="button"
        className={classNames("nameButton", styles.actor)}
        title="Show only this user's actions"
        onClick={() => onChoose(actor.userId)}
      >
        {visibleText(actor.displayName)}
      </button>
    </>
  );
}

/** The target of an action by its name, linked where the console shows it, or else its id. */
function AuditTarget({ entry }: { readonly entry: AuditEntry }) {
  const { target, targetName } = entry;
  if (target === null) return <span className={classNames("faint small", styles.none)}>—</span>;
  const link = linkOf(entry, target);
  const text =
    targetName === null ? (
      <code className={styles.target}>{visibleText(target)}</code>
    ) : (
      <span title={visibleText(target)}>{visibleText(targetName)}</span>
    );
  return link === null ? text : <Link {...link}>{text}</Link>;
}

function linkOf({ action, targetName }: AuditEntry, target: string): LinkProps | null {
  const [kind] = action.split(".");
  const userId = userIdSchema.safeParse(target);
  const key = objectKeySchema.safeParse(target);
  if (kind === "upload" && action !== "upload.delete")
    return { to: "/uploads", search: { upload: target } };
  if (kind === "channel" && action !== "channel.remove" && userId.success)
    return { to: "/channels/$channelId", params: { channelId: userId.data } };
  if ((kind === "user" || kind === "consent" || targetName !== null) && userId.success)
    return { to: "/users", search: { user: userId.data } };
  if (kind === "file" && (targetName !== null || action === "file.download") && key.success)
    return { to: "/files", search: { file: key.data } };
  return null;
}
