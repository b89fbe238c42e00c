import { EllipsisVertical } from "lucide-react";
import { IconButton } from "../button.tsx";
import { Menu, type MenuItems } from "../menu.tsx";

/** The actions on one row of a list. */
export function RowMenu({
  name,
  items,
  busy = false,
  shortcut,
}: {
  readonly name: string;
  readonly items: MenuItems;
  readonly busy?: boolean;
  /** Whether the keys that move between rows focus it. */
  readonly shortcut?: "row";
}) {
  const label = `Actions for ${name}`;
  return (
    <Menu
      label={label}
      items={items}
      renderTrigger={(props) => (
        <IconButton {...props} busy={busy} label={label} data-shortcut={shortcut}>
          <EllipsisVertical />
        </IconButton>
      )}
    />
  );
}
