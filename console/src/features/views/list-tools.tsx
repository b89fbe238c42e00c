import type { ViewScreen } from "#contract/views.ts";
import type { RawSearch } from "#console/lib/search-params.ts";
import { ColumnsMenu } from "#console/ui/list/columns-menu.tsx";
import { SavedViews } from "./saved-views.tsx";

/** Controls beside a list's filters: its columns and its saved views. */
export function ListTools({
  screen,
  columns,
  current,
  onHide,
}: {
  readonly screen: ViewScreen;
  /** The columns that can be hidden: labels by id. */
  readonly columns: Readonly<Record<string, string>>;
  /** Filters, order and columns from the list's address. */
  readonly current: RawSearch & { readonly hide: string | undefined };
  readonly onHide: (hide: string | undefined) => void;
}) {
  return (
    <>
      <ColumnsMenu columns={columns} hide={current.hide} onChange={onHide} />
      <SavedViews screen={screen} current={current} />
    </>
  );
}
