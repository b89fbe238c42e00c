import { Checkbox } from "../checkbox.tsx";

/** The checkbox in the header of a table's selection column. */
export function SelectPageBox({
  selected,
  disabled,
}: {
  readonly selected: {
    readonly isPageSelected: boolean;
    readonly isPagePartlySelected: boolean;
    readonly selectPage: (selected: boolean) => void;
  };
  /** There are no rows yet. */
  readonly disabled: boolean;
}) {
  return (
    <Checkbox
      label="Select all on this page"
      labelHidden
      checked={selected.isPageSelected}
      indeterminate={selected.isPagePartlySelected}
      disabled={disabled}
      onChange={selected.selectPage}
    />
  );
}
