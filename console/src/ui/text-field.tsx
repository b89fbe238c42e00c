import { useId, type ComponentProps, type ReactNode } from "react";
import { classNames } from "./class-names.ts";
import styles from "./field.module.css";

/** A labelled input, which browsers leave empty. `error` is announced and tied to the input. */
export function TextField({
  label,
  hint,
  error,
  ...input
}: Omit<ComponentProps<"input">, "id" | "className"> & {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}) {
  const id = useId();
  const describedBy = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={classNames("stack gap1", styles.field)}>
      <label className="small strong" htmlFor={id}>
        {label}
      </label>
      <input
        autoComplete="off"
        {...input}
        id={id}
        className={styles.input}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={describedBy || undefined}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="note">
          {hint}
        </p>
      )}
      <p id={`${id}-error`} className={styles.error} role="alert" hidden={error === undefined}>
        {error}
      </p>
    </div>
  );
}
