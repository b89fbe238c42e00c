import { RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import type { ViewScreen } from "#contract/views.ts";
import { refresh } from "#console/lib/query-client.ts";
import type { List } from "#console/lib/use-list.ts";
import { IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import { ColumnsMenu } from "#console/ui/list/columns-menu.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { SavedViews } from "./saved-views.tsx";
import styles from "./saved-views.module.css";

/** The bar above a list: search and filters, then its columns, its saved views and Refresh. */
export function ListBar({
  placeholder,
  refreshing,
  settles = false,
  children,
  list: { query, text, searchFor, hide, view, setHide },
  screen,
  columns,
}: {
  readonly list: List<unknown>;
  readonly screen: ViewScreen;
  /** Undefined while they are not shown. */
  readonly columns: readonly Column<never>[] | undefined;
  readonly placeholder: string;
  /** Whether Refresh spins; by default during each request. Null if it is elsewhere. */
  readonly refreshing?: boolean | null;
  /** The list itself waits until changes have settled. */
  readonly settles?: boolean;
  readonly children?: ReactNode;
}) {
  return (
    <div className={layout.wrap}>
      <SearchField
        placeholder={placeholder}
        value={text}
        onChange={searchFor}
        {...(settles && { settleMs: 0 })}
      />
      {children}
      <div className={classNames(layout.wrap, styles.tools)}>
        {columns && <ColumnsMenu columns={columns} hide={hide} onChange={setHide} />}
        <SavedViews screen={screen} current={view} />
        {refreshing !== null && (
          <IconButton
            kind="secondary"
            label="Refresh"
            aria-keyshortcuts="r"
            data-shortcut="refresh"
            busy={refreshing ?? query.isFetching}
            onClick={() => refresh(query)}
          >
            <RefreshCw />
          </IconButton>
        )}
      </div>
    </div>
  );
}
