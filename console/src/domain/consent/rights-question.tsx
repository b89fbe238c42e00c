import { MAX_RIGHTS_REASON_LENGTH } from "#contract/limits.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { TextField } from "#console/ui/text-field.tsx";

/** What a confirmation of the rights rests on. */
export function RightsReason({
  reason,
  error,
  hint,
  isRequired,
  onReason,
}: {
  readonly reason: string;
  readonly error?: string | undefined;
  readonly hint?: string;
  readonly isRequired: boolean;
  readonly onReason: (reason: string) => void;
}) {
  return (
    <TextField
      label={isRequired ? "Reason" : "Reason (optional)"}
      hint={hint}
      placeholder="For example the contract"
      maxLength={MAX_RIGHTS_REASON_LENGTH}
      value={reason}
      error={error}
      onChange={({ target }) => onReason(target.value)}
    />
  );
}

/** One question for all channels whose owners have not agreed, with its reason. */
export function RightsQuestion({
  summary,
  label,
  isConfirmed,
  asksForReason,
  onConfirm,
  ...given
}: Parameters<typeof RightsReason>[0] & {
  /** E.g. "3 channels not confirmed". */
  readonly summary: string;
  readonly label: string;
  readonly isConfirmed: boolean;
  readonly asksForReason: boolean;
  readonly onConfirm: (isConfirmed: boolean) => void;
}) {
  return (
    <div className="stack">
      <span className="small strong">Rights: {summary}</span>
      <Checkbox checked={isConfirmed} onChange={onConfirm} label={label} />
      {isConfirmed && asksForReason && <RightsReason {...given} />}
    </div>
  );
}
