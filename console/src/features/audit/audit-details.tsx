import type { AuditEntry } from "#contract/audit.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { changesOf } from "./audit-changes.ts";
import styles from "./audit.module.css";

/** Who exactly, by which request, why, and what is different since. */
export function AuditDetails({ entry }: { readonly entry: AuditEntry }) {
  const { id, actor, requestId, reason, before, after } = entry;
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
        <div>
          <dt>Reason</dt>
          <dd>{reason === null ? "None given" : visibleText(reason)}</dd>
        </div>
      </dl>
      {changes.length === 0 ? (
        <p className={styles.faint}>The entry holds no changed values.</p>
      ) : (
        <table className={styles.changes}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <tr key={change.field}>
                <th scope="row">{change.field === "" ? "Value" : visibleText(change.field)}</th>
                <td className={styles.before}>{shown(change.before)}</td>
                <td className={styles.after}>{shown(change.after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function shown(text: string | undefined): string {
  return text === undefined ? "—" : visibleText(text);
}
