import { RefreshCw } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { SearchField } from "./search-field.tsx";
import { Toolbar } from "./toolbar.tsx";

/** What narrows a list down, above the list: its search, its filters, and asking anew. */
export function FilterBar({
  search,
  refreshing,
  onRefresh,
  children,
}: {
  readonly search: ComponentProps<typeof SearchField>;
  readonly refreshing: boolean;
  readonly onRefresh: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <Toolbar>
      <SearchField {...search} />
      {children}
      <IconButton
        kind="secondary"
        label="Refresh"
        aria-keyshortcuts="r"
        data-shortcut="refresh"
        busy={refreshing}
        onClick={onRefresh}
      >
        <RefreshCw />
      </IconButton>
    </Toolbar>
  );
}
