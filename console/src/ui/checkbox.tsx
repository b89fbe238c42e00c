import { useEffect, useRef, type MouseEvent, type ReactNode } from "react";
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
  const box = useRef<HTMLInputElement>(null);
  const shiftKey = useRef(false);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = indeterminate;
  }, [indeterminate]);
  return (
    <label className={styles.check}>
      <input
        ref={box}
        type="checkbox"
        role={isSwitch ? "switch" : undefined}
        className={isSwitch ? styles.switch : styles.box}
        checked={checked}
        disabled={disabled}
        aria-describedby={describedBy}
        onClick={(event: MouseEvent) => {
          shiftKey.current = event.shiftKey;
        }}
        onChange={(event) => onChange(event.target.checked, { shiftKey: shiftKey.current })}
      />
      {labelHidden ? <VisuallyHidden>{label}</VisuallyHidden> : <span>{label}</span>}
    </label>
  );
}

/** A setting that takes effect at once. */
export function Switch(props: Omit<CheckboxProps, "indeterminate" | "isSwitch">) {
  return <Checkbox {...props} isSwitch />;
}
