import type { ReactNode } from "react";
import styles from "./field.module.css";
import { VisuallyHidden } from "./visually-hidden.tsx";

type CheckboxProps = {
  readonly checked: boolean;
  readonly indeterminate?: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean, event: { readonly shiftKey: boolean }) => void;
  readonly label: ReactNode;
  /** The label is for screen readers only, as in a table's selection column. */
  readonly labelHidden?: boolean;
  readonly describedBy?: string;
  readonly isSwitch?: boolean;
};

export function Checkbox({
  checked,
  indeterminate = false,
  disabled = false,
  onChange,
  label,
  labelHidden = false,
  describedBy,
  isSwitch = false,
}: CheckboxProps) {
  return (
    <label className={styles.check}>
      <input
        ref={(box) => {
          if (box !== null) box.indeterminate = indeterminate;
        }}
        type="checkbox"
        role={isSwitch ? "switch" : undefined}
        className={isSwitch ? styles.switch : styles.box}
        checked={checked}
        disabled={disabled}
        aria-describedby={describedBy}
        onChange={({ target, nativeEvent }) =>
          // A click causes the change, the space bar's as well.
          onChange(target.checked, {
            shiftKey: nativeEvent instanceof MouseEvent && nativeEvent.shiftKey,
          })
        }
      />
      {labelHidden ? <VisuallyHidden>{label}</VisuallyHidden> : <span>{label}</span>}
    </label>
  );
}

/** A setting that takes effect at once. */
export function Switch(props: Omit<CheckboxProps, "indeterminate" | "isSwitch">) {
  return <Checkbox {...props} isSwitch />;
}
