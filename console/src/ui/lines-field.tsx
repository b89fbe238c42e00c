import { useId, type ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import styles from "./field.module.css";

const MAX_ROWS = 5;

/** A labelled field for several lines, as high as they need. */
export function LinesField({
  label,
  value,
  ...field
}: Omit<ComponentProps<"textarea">, "id" | "className" | "rows" | "value"> & {
  readonly label: string;
  readonly value: string;
}) {
  const id = useId();
  return (
    <div className={classNames("stack gap1", styles.field)}>
      <label className="small strong" htmlFor={id}>
        {label}
      </label>
      <textarea
        {...field}
        id={id}
        rows={Math.min(MAX_ROWS, value.split("\n").length)}
        className={classNames(styles.input, styles.lines)}
        value={value}
      />
    </div>
  );
}
