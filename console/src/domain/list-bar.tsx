import { RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { refresh } from "#console/lib/query-client.ts";
import type { List } from "#console/lib/use-list.ts";
import { IconButton } from "#console/ui/button.tsx";
import { SearchField } from "#console/ui/search-field.tsx";

/** The bar above a list: search and filters, then Refresh. */
export function ListBar({
  placeholder,
  refreshing,
  settles = false,
  children,
  list: { query, text, searchFor },
}: {
  readonly list: List<unknown>;
  readonly placeholder: string;
  /** Whether Refresh spins; by default during each request. Null if it is elsewhere. */
  readonly refreshing?: boolean | null;
  /** The list itself waits until changes have settled. */
  readonly settles?: boolean;
  readonly children?: ReactNode;
}) {
  return (
    <div className="wrap">
      <SearchField
        placeholder={placeholder}
        value={text}
        onChange={searchFor}
        {...(settles && { settleMs: 0 })}
      />
      {children}
      <div className="wrap pushed">
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
