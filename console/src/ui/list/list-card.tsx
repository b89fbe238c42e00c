import type { ReactNode } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { formatTotal, type Noun } from "#console/lib/format.ts";
import type { List } from "#console/lib/use-list.ts";
import { Button } from "../button.tsx";
import { Card } from "../card.tsx";
import { EmptyState } from "../empty-state.tsx";
import { ErrorState } from "../error-state.tsx";
import { Pagination } from "./pagination.tsx";
import { VisuallyHidden } from "../visually-hidden.tsx";

const RESULTS: Noun = ["result", "results"];

/**
 * One page of a list with pagination, or why there is none: an error, or no rows. The table itself
 * shows that it is loading. The number of rows is in a live region that outlasts both, so that
 * screen readers announce it after each search.
 */
export function ListCard({
  list: { query, facts, rows, page, setPage, pageSize, isFiltered, clear },
  title,
  actions,
  failure,
  empty,
  noun = RESULTS,
  pagination = "always",
  before,
  children,
}: {
  readonly list: List<unknown>;
  /** For a list that is one panel of several. */
  readonly title?: string;
  readonly actions?: ReactNode;
  /** What to show on failure; the service's message is shown below. */
  readonly failure: { readonly title: string; readonly message?: string };
  /** Shown in place of the table: filters can be cleared, or it says what would fill the list. */
  readonly empty: EmptyWords;
  /** What is counted; results by default. */
  readonly noun?: Noun;
  readonly pagination?: "always" | "beyond-one-page";
  /** Shown above the table, even without rows. */
  readonly before?: ReactNode;
  readonly children: ReactNode;
}) {
  const { filteredHint = "Try adjusting your search or filter" } = empty;
  const isEmpty = rows?.length === 0;
  const isPaged =
    facts !== undefined && (pagination === "always" || facts.total > facts.limit || facts.hasPrev);
  return (
    <Card title={title} actions={actions} flush>
      {before}
      {query.isError && query.data === undefined ? (
        <ErrorState
          {...failure}
          detail={messageOf(query.error)}
          retrying={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <>
          {!isEmpty && children}
          <div aria-live="polite">
            {isEmpty ? (
              <EmptyState
                title={empty.title}
                hint={isFiltered ? filteredHint : empty.firstHint}
                action={
                  isFiltered ? <Button onClick={clear}>Clear filters</Button> : empty.firstStep
                }
              />
            ) : isPaged ? (
              <Pagination
                facts={facts}
                wantedPage={page}
                noun={noun}
                onSetPage={setPage}
                pageSize={pageSize}
              />
            ) : (
              facts !== undefined && (
                <VisuallyHidden>
                  {formatTotal(facts.total, facts.totalIsCapped, noun)}
                </VisuallyHidden>
              )
            )}
          </div>
        </>
      )}
    </Card>
  );
}

type EmptyWords = {
  readonly title: string;
  readonly filteredHint?: string;
  readonly firstHint: string;
  /** The next step when the list has no rows yet. */
  readonly firstStep?: ReactNode;
};
