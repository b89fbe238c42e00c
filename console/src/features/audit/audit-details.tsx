import type { AuditEntry } from "#contract/audit.ts";
import { formatDateTime } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { reasonText } from "./audit-actions.ts";
import { changesOf } from "./audit-changes.ts";
import styles from "./audit.module.css";

/** Actor, request, reason and changes of an entry. */
export function AuditDetails({ entry }: { readonly entry: AuditEntry }) {
  const { id, actor, requestId, reason, before, after, address, lastAt } = entry;
  const changes = changesOf(before, after);
  return (
    <div className={styles.details}>
      <dl className={styles.facts}>
        <div>
          <dt>Entry</dt>
          <dd>{id}</dd>
        </div>
        <div>
          <dt>User</dt>
          <dd>{actor === null ? "None" : `@${actor.login} (${actor.userId})`}</dd>
        </div>
        <div>
          <dt>Request</dt>
          <dd>
            {requestId === null ? (
              "None"
            ) : (
              <>
                <code>{requestId}</code> <CopyButton text={requestId} label="Copy request id" />
              </>
            )}
          </dd>
        </div>
        {address !== null && (
          <div>
            <dt>Address</dt>
            <dd>{visibleText(address)}</dd>
          </div>
        )}
        {lastAt !== null && (
          <div>
            <dt>Last time</dt>
            <dd>
              <time dateTime={lastAt}>{formatDateTime(new Date(lastAt))}</time>
            </dd>
          </div>
        )}
        <div>
          <dt>Reason</dt>
          <dd>{reason === null ? "None given" : reasonText(entry.action, reason)}</dd>
        </div>
      </dl>
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
