import { RefreshCw } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { IconButton } from "../button.tsx";
import { classNames } from "../class-names.ts";
import layout from "../layout.module.css";
import { SearchField } from "../search-field.tsx";
import styles from "./filter-bar.module.css";

/** The bar above a list: search and filters, then view tools and refresh at the end. */
export function FilterBar({
  search,
  refreshing = false,
  onRefresh,
  tools,
  children,
}: {
  readonly search: ComponentProps<typeof SearchField>;
  readonly refreshing?: boolean;
  /** Undefined if the screen has a button for it elsewhere. */
  readonly onRefresh?: (() => void) | undefined;
  readonly tools: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className={layout.wrap}>
      <SearchField {...search} />
      {children}
      <div className={classNames(layout.wrap, styles.tools)}>
        {tools}
        {onRefresh !== undefined && (
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
        )}
      </div>
    </div>
  );
}
