import type { ViewScreen } from "#contract/views.ts";
import type { RawSearch } from "#console/lib/search-params.ts";
import { ColumnsMenu } from "#console/ui/list/columns-menu.tsx";
import { SavedViews } from "./saved-views.tsx";

/** Beside a list's filters: the columns it shows, and all of that under a name. */
export function ListTools({
  screen,
  columns,
  current,
  onHide,
}: {
  readonly screen: ViewScreen;
  /** Those that can be hidden: their names by their ids. */
  readonly columns: Readonly<Record<string, string>>;
  /** What the list's address says of its filters, order and columns. */
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
