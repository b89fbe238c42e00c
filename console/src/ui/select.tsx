import { ChevronDown } from "lucide-react";
import styles from "./field.module.css";

export type SelectOption<Value extends string> = { readonly value: Value; readonly label: string };

/** The browser's own select: the best one on phones and by keyboard. */
export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly SelectOption<Value>[];
  readonly onChange: (value: Value) => void;
}) {
  return (
    <span className={styles.selectWrap}>
      <select
        className={styles.select}
        aria-label={label}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen !== undefined) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown />
    </span>
  );
}
