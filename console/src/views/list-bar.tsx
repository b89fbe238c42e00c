import type { ReactNode } from "react";
import type { ViewScreen } from "#contract/views.ts";
import type { List } from "#console/lib/use-list.ts";
import { ColumnsMenu } from "#console/ui/list/columns-menu.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { FilterBar } from "#console/ui/list/filter-bar.tsx";
import { SavedViews } from "./saved-views.tsx";

/** Search and filters of a list, its columns, its saved views and Refresh. */
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
    <FilterBar
      search={{ placeholder, value: text, onChange: searchFor, ...(settles && { settleMs: 0 }) }}
      refreshing={refreshing ?? query.isFetching}
      onRefresh={refreshing === null ? undefined : () => void query.refetch()}
      tools={
        <>
          {columns && <ColumnsMenu columns={columns} hide={hide} onChange={setHide} />}
          <SavedViews screen={screen} current={view} />
        </>
      }
    >
      {children}
    </FilterBar>
  );
}
