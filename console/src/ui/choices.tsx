import type { ReactNode } from "react";
import { Checkbox } from "./checkbox.tsx";
import { classNames } from "./class-names.ts";
import styles from "./field.module.css";

/** Boxes under one name, of which several may be ticked. */
export function Choices<Value extends string>({
  name,
  all,
  options,
  chosen,
  onChange,
}: {
  readonly name: string;
  /** The label of a box for all of them. */
  readonly all?: string;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
}) {
  const values = options.map(({ value }) => value);
  const isAll = values.length > 0 && values.every((value) => chosen.includes(value));
  return (
    <fieldset className={classNames("stack gap1 small", styles.choices)}>
      <legend className="strong">{name}</legend>
      {all !== undefined && (
        <Checkbox
          label={all}
          checked={isAll}
          indeterminate={!isAll && chosen.length > 0}
          onChange={(isChosen) => onChange(isChosen ? values : [])}
        />
      )}
      <div>
        {options.map(({ value, label }) => (
          <Checkbox
            key={value}
            label={label}
            checked={chosen.includes(value)}
            onChange={(isChosen) =>
              onChange(isChosen ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
