import { useId, type ReactNode } from "react";
import { VOD_KINDS, type Rule } from "#contract/channel-rules.ts";
import { QUALITIES } from "#contract/quality.ts";
import { QUALITY_LABELS } from "#console/domain/uploads/rendition-text.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import field from "#console/ui/field.module.css";
import { Select, type SelectOption } from "#console/ui/select.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import styles from "./rule.module.css";
import {
  draftOf,
  KIND_LABELS,
  RULE_FIELDS,
  ruleValueText,
  type RuleDraft,
  type RuleEdit,
  type RuleFaults,
  type RuleKey,
} from "./rule-draft.ts";

export const BACK_OPTIONS = [
  { value: "new", label: "New ones only" },
  { value: "days", label: "Some days" },
  { value: "all", label: "Everything" },
] as const;

const KEEP_OPTIONS = [
  { value: "all", label: "All" },
  { value: "days", label: "Some days" },
  { value: "count", label: "The newest" },
  { value: "bytes", label: "At most a size" },
] as const;

const QUALITY_OPTIONS = QUALITIES.map((value) => ({ value, label: QUALITY_LABELS[value] }));

const KEEP_UNITS = { days: "Days since the broadcast", count: "VODs", bytes: "GB" } as const;

/** The fields of a rule; those of a channel say what the default is, and can be given back to it. */
export function RuleForm({
  base,
  edit: { draft, own },
  faults,
  onEdit,
}: {
  /** The default rule; null while it is itself edited. */
  readonly base: Rule | null;
  readonly edit: RuleEdit;
  readonly faults: RuleFaults;
  readonly onEdit: (edit: RuleEdit) => void;
}) {
  function change<Key extends RuleKey>(key: Key, value: RuleDraft[Key]) {
    onEdit({ draft: { ...draft, [key]: value }, own: new Set([...own, key]) });
  }
  function giveBack(key: RuleKey, rule: Rule) {
    const others = [...own].filter((one) => one !== key);
    onEdit({ draft: { ...draft, [key]: draftOf(rule)[key] }, own: new Set(others) });
  }
  const noteOf = (key: RuleKey) =>
    base === null ? undefined : (
      <>
        Default: {ruleValueText(base, key)}
        {own.has(key) && (
          <>
            {" · "}
            <TextButton
              aria-label={`Use the default: ${RULE_FIELDS[key].name}`}
              onClick={() => giveBack(key, base)}
            >
              Use the default
            </TextButton>
          </>
        )}
      </>
    );
  const group = (key: RuleKey, controls: ReactNode) => (
    <RuleField name={RULE_FIELDS[key].name} note={noteOf(key)} error={faults[key]}>
      {controls}
    </RuleField>
  );
  const text = (key: "minDurationSec" | "titleIncludes" | "titleExcludes", placeholder: string) => (
    <TextField
      label={RULE_FIELDS[key].name}
      hint={noteOf(key)}
      error={faults[key]}
      value={draft[key]}
      placeholder={placeholder}
      onChange={({ target }) => change(key, target.value)}
    />
  );
  const { backDays, retention } = draft;
  return (
    <div className={styles.form}>
      <h3>What is archived</h3>
      {group(
        "kinds",
        VOD_KINDS.map((kind) => (
          <Checkbox
            key={kind}
            label={KIND_LABELS[kind]}
            checked={draft.kinds.includes(kind)}
            onChange={(checked) =>
              change(
                "kinds",
                VOD_KINDS.filter((one) => (one === kind ? checked : draft.kinds.includes(one))),
              )
            }
          />
        )),
      )}
      {group(
        "backDays",
        <>
          {select("backDays", backDays.from, BACK_OPTIONS, (from) =>
            change("backDays", { ...backDays, from }),
          )}
          {backDays.from === "days" && (
            <Amount
              label="Days before the channel was added"
              value={backDays.days}
              isWrong={faults.backDays !== undefined}
              onChange={(days) => change("backDays", { ...backDays, days })}
            />
          )}
        </>,
      )}
      {text("minDurationSec", "Minutes, or 1.5h")}
      {text("titleIncludes", "Separated by commas")}
      {text("titleExcludes", "Separated by commas")}
      <h3>How</h3>
      {group(
        "quality",
        select("quality", draft.quality, QUALITY_OPTIONS, (quality) => change("quality", quality)),
      )}
      {group(
        "chat",
        <Checkbox
          label="With its chat"
          checked={draft.chat}
          onChange={(chat) => change("chat", chat)}
        />,
      )}
      <h3>How long it is kept</h3>
      {group(
        "retention",
        <>
          {select("retention", retention.keep, KEEP_OPTIONS, (keep) =>
            change("retention", { keep, value: "" }),
          )}
          {retention.keep !== "all" && (
            <Amount
              label={KEEP_UNITS[retention.keep]}
              value={retention.value}
              isWrong={faults.retention !== undefined}
              onChange={(value) => change("retention", { ...retention, value })}
            />
          )}
        </>,
      )}
    </div>
  );
}

function select<Value extends string>(
  key: RuleKey,
  value: Value,
  options: readonly SelectOption<Value>[],
  onChange: (value: Value) => void,
) {
  return <Select label={RULE_FIELDS[key].name} {...{ value, options, onChange }} />;
}

/** Controls under one name. */
export function RuleField({
  name,
  note,
  error,
  children,
}: {
  readonly name: string;
  readonly note: ReactNode;
  readonly error?: string | undefined;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <div className="stack gap1" role="group" aria-labelledby={id}>
      <span id={id} className="small strong">
        {name}
      </span>
      <div className={classNames("wrap", styles.controls)}>{children}</div>
      {note !== undefined && <p className="note">{note}</p>}
      {error !== undefined && (
        <p className={field.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export function Amount({
  label,
  value,
  isWrong,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly isWrong: boolean;
  readonly onChange: (value: string) => void;
}) {
  return (
    <label className="row small">
      <input
        className={classNames(field.input, styles.amount)}
        inputMode="decimal"
        autoComplete="off"
        value={value}
        aria-invalid={isWrong || undefined}
        onChange={({ target }) => onChange(target.value)}
      />
      {label}
    </label>
  );
}
