import type { ReactNode } from "react";
import type { ViewScreen } from "#contract/views.ts";
import type { List } from "#console/lib/use-list.ts";
import { ColumnsMenu } from "#console/ui/list/columns-menu.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { FilterBar } from "#console/ui/list/filter-bar.tsx";
import { SavedViews } from "./saved-views.tsx";

type ToolsProps = {
  readonly list: List<unknown>;
  readonly screen: ViewScreen;
  readonly columns: readonly Column<never>[];
};

/** Search and filters of a list, its columns, its saved views and Refresh. */
export function ListBar({
  placeholder,
  refreshing,
  children,
  ...tools
}: ToolsProps & {
  readonly placeholder: string;
  /** Whether Refresh spins; by default during each request. */
  readonly refreshing?: boolean;
  readonly children?: ReactNode;
}) {
  const { query, text, searchFor } = tools.list;
  return (
    <FilterBar
      search={{ placeholder, value: text, onChange: searchFor }}
      refreshing={refreshing ?? query.isFetching}
      onRefresh={() => void query.refetch()}
      tools={<ListTools {...tools} />}
    >
      {children}
    </FilterBar>
  );
}

/** Controls beside a list's filters: its columns and its saved views. */
export function ListTools({ list: { hide, view, setHide }, screen, columns }: ToolsProps) {
  return (
    <>
      <ColumnsMenu columns={columns} hide={hide} onChange={setHide} />
      <SavedViews screen={screen} current={view} />
    </>
  );
}
