import type { AuditEntry } from "#contract/audit.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { Figures } from "#console/ui/figures.tsx";
import { DateTime } from "#console/ui/time.tsx";
import { reasonText } from "./audit-actions.ts";
import { changesOf } from "./audit-changes.ts";
import styles from "./audit.module.css";

/** Actor, request, reason and changes of an entry. */
export function AuditDetails({ entry }: { readonly entry: AuditEntry }) {
  const { id, actor, requestId, reason, before, after, address, lastAt } = entry;
  const changes = changesOf(before, after);
  return (
    <div className={styles.details}>
      <Figures
        figures={[
          { name: "Entry", value: id },
          { name: "User", value: actor === null ? "None" : `@${actor.login} (${actor.userId})` },
          {
            name: "Request",
            value:
              requestId === null ? (
                "None"
              ) : (
                <>
                  <code>{requestId}</code> <CopyButton text={requestId} label="Copy request id" />
                </>
              ),
          },
          ...(address === null ? [] : [{ name: "Address", value: visibleText(address) }]),
          ...(lastAt === null
            ? []
            : [
                {
                  name: "Last time",
                  value: <DateTime at={lastAt} />,
                },
              ]),
          {
            name: "Reason",
            value: reason === null ? "None given" : reasonText(entry.action, reason),
          },
        ]}
      />
      {changes.length === 0 ? (
        <p className={styles.faint}>This entry changed no values.</p>
      ) : (
        <ul className={styles.changes} aria-label="Changed values">
          {changes.map((change) => (
            <li key={change.field} className={styles.change}>
              <strong>{change.field === "" ? "Value" : visibleText(change.field)}</strong>
              {change.before !== undefined && (
                <span className={styles.before}>
                  <small>Before</small>
                  {visibleText(change.before)}
                </span>
              )}
              {change.after !== undefined && (
                <span className={styles.after}>
                  <small>After</small>
                  {visibleText(change.after)}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
