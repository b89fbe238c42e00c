import { EllipsisVertical, RefreshCw, Trash2 } from "lucide-react";
import { IconButton } from "./button.tsx";
import { Menu } from "./menu.tsx";
import { toast } from "./toast-store.ts";

export function Actions() {
  return (
    <Menu
      label="Sample menu"
      items={[
        { label: "Shown now", current: true, onSelect: () => toast.info("Shown") },
        { label: "Refresh", icon: <RefreshCw />, onSelect: () => toast.info("Refreshed") },
        {
          label: "Archive",
          disabledReason: "It is running.",
          onSelect: () => toast.error("A disabled item was chosen"),
        },
        {
          label: "Delete",
          icon: <Trash2 />,
          danger: true,
          onSelect: () => toast.success("Deleted"),
        },
      ]}
      renderTrigger={(props) => (
        <IconButton {...props} kind="secondary" label="Sample menu">
          <EllipsisVertical />
        </IconButton>
      )}
    />
  );
}
