import { Select, type SelectOption } from "../select.tsx";

/** A filter of a list; `all` is the choice that removes it. */
export function FilterSelect<Value extends string>({
  label,
  all,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly all: string;
  readonly value: Value | undefined;
  readonly options: readonly SelectOption<Value>[];
  readonly onChange: (value: Value | undefined) => void;
}) {
  return (
    <Select
      label={label}
      value={value ?? "all"}
      options={[{ value: "all", label: all }, ...options]}
      onChange={(chosen) => onChange(options.find((option) => option.value === chosen)?.value)}
    />
  );
}
