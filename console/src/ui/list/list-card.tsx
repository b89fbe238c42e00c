import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { formatTotal, type Noun } from "#console/lib/format.ts";
import { Button } from "../button.tsx";
import { Card } from "../card.tsx";
import { EmptyState } from "../empty-state.tsx";
import { ErrorState } from "../error-state.tsx";
import { HiddenColumns, hiddenIds } from "./hidden-columns.ts";
import { Pagination, type PageFacts, type TurnPage } from "./pagination.tsx";
import { VisuallyHidden } from "../visually-hidden.tsx";

const RESULTS: Noun = ["result", "results"];

/**
 * One page of a list with pagination, or why there is none: an error, or no rows. The table itself
 * shows that it is loading. The number of rows is in a live region that outlasts both, so that
 * screen readers announce it after each search.
 */
export function ListCard({
  title,
  actions,
  query,
  facts,
  isEmpty,
  failure,
  empty,
  noun = RESULTS,
  pagination = "always",
  before,
  hide,
  page,
  onTurn,
  children,
}: {
  /** For a list that is one panel of several. */
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly query: Pick<UseQueryResult, "data" | "error" | "isError" | "isFetching" | "refetch">;
  /** Undefined until the first answer. */
  readonly facts: PageFacts | undefined;
  readonly isEmpty: boolean;
  /** What to show on failure; the service's message is shown below. */
  readonly failure: { readonly title: string; readonly message?: string };
  /** Shown in place of the table, usually an `EmptyList`. */
  readonly empty: ReactNode;
  /** What is counted; results by default. */
  readonly noun?: Noun;
  readonly pagination?: "always" | "beyond-one-page";
  /** Shown above the table, even without rows. */
  readonly before?: ReactNode;
  /** Columns hidden by the list's address. */
  readonly hide?: string | undefined;
  /** The page in the list's address; the answer may lag behind. */
  readonly page: number;
  readonly onTurn: TurnPage;
  readonly children: ReactNode;
}) {
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
          {!isEmpty && <HiddenColumns value={hiddenIds(hide)}>{children}</HiddenColumns>}
          <div aria-live="polite">
            {isEmpty ? (
              empty
            ) : isPaged ? (
              <Pagination facts={facts} wantedPage={page} noun={noun} onTurn={onTurn} />
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

/** An empty list either has filters to clear, or has no rows yet and says what would fill it. */
export function EmptyList({
  icon,
  title,
  filteredHint = "Try adjusting your search or filter",
  onClear,
  firstHint,
  firstStep,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly filteredHint?: string;
  /** Undefined when no filter is set. */
  readonly onClear: (() => void) | undefined;
  readonly firstHint: string;
  /** The next step when the list has no rows yet. */
  readonly firstStep?: ReactNode;
}) {
  return onClear === undefined ? (
    <EmptyState icon={icon} title={title} hint={firstHint} action={firstStep} />
  ) : (
    <EmptyState
      icon={icon}
      title={title}
      hint={filteredHint}
      action={<Button onClick={onClear}>Clear filters</Button>}
    />
  );
}
