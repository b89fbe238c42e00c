import type { AuditEntry } from "#contract/audit.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { Figures } from "#console/ui/figures.tsx";
import { DateTime } from "#console/ui/time.tsx";
import { reasonText } from "./audit-actions.ts";
import { toneStyle } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import styles from "./audit.module.css";

/** Actor, request, reason and changes of an entry. */
export function AuditDetails({ entry }: { readonly entry: AuditEntry }) {
  const { id, actor, token, requestId, reason, before, after, address, lastAt } = entry;
  const changes = changesOf(before, after);
  return (
    <div className={classNames("stack gap3", styles.details)}>
      <Figures
        figures={[
          { name: "Entry", value: id },
          { name: "User", value: actor === null ? "None" : `@${actor.login} (${actor.userId})` },
          ...(token === null
            ? []
            : [{ name: "API token", value: `${visibleText(token.name)} (${token.id})` }]),
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
          ...(lastAt === null ? [] : [{ name: "Last time", value: <DateTime at={lastAt} /> }]),
          {
            name: "Reason",
            value: reason === null ? "None given" : reasonText(entry.action, reason),
          },
        ]}
      />
      {changes.length === 0 ? (
        <p className="faint small">This entry changed no values.</p>
      ) : (
        <ul className={classNames("ruled framed", styles.changes)} aria-label="Changed values">
          {changes.map((change) => (
            <li key={change.field} className={classNames("anywhere", styles.change)}>
              <strong className="strong">
                {change.field === "" ? "Value" : visibleText(change.field)}
              </strong>
              {change.before !== undefined && (
                <span className={styles.before} style={toneStyle("bad")}>
                  <small>Before</small>
                  {visibleText(change.before)}
                </span>
              )}
              {change.after !== undefined && (
                <span className={styles.after} style={toneStyle("good")}>
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

export type FieldChange = {
  readonly field: string;
  /** Undefined if that side lacks the field. */
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/**
 * The changes of an entry, field by field. A value that is not an object counts as one field
 * without a name; unchanged fields are omitted.
 */
export function changesOf(before: unknown, after: unknown): readonly FieldChange[] {
  const old = fieldsOf(before);
  const current = fieldsOf(after);
  return [...new Set([...old.keys(), ...current.keys()])]
    .map((field) => ({ field, before: old.get(field), after: current.get(field) }))
    .filter((change) => change.before !== change.after);
}

function fieldsOf(value: unknown): ReadonlyMap<string, string> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== "object" || Array.isArray(value)) return new Map([["", textOf(value)]]);
  return new Map(Object.entries(value).map(([field, content]) => [field, textOf(content)]));
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const isPlainList =
    Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "");
  return isPlainList ? value.join(", ") || "none" : JSON.stringify(value);
}
