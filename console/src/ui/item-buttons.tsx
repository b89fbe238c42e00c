import { Button } from "./button.tsx";
import type { MenuItem } from "./menu.tsx";

/** The items of a row's menu as buttons, where there is room for them. */
export function ItemButtons({
  items,
  primary,
}: {
  readonly items: readonly (MenuItem & { readonly busy?: boolean })[];
  /** The names of those that are most likely wanted. */
  readonly primary?: RegExp;
}) {
  return items.map(({ label, icon, busy, disabledReason, onSelect }) => (
    <Button
      key={label}
      kind={primary?.test(label) ? "primary" : "secondary"}
      icon={icon}
      busy={busy ?? false}
      disabledReason={disabledReason}
      onClick={onSelect}
    >
      {label}
    </Button>
  ));
}
