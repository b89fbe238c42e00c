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
 * One page of a list with the way to others, or why there is none: it failed, or it is empty. The
 * table itself shows that it is loading. How many rows there are, or that there are none, stands in
 * a live region that outlasts both, so that a screen reader says it after each search.
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
  /** What to say when there is no answer; the service's own words stand below. */
  readonly failure: { readonly title: string; readonly message?: string };
  /** Shown in place of the table, usually an `EmptyList`. */
  readonly empty: ReactNode;
  /** What is counted, results where it is left out. */
  readonly noun?: Noun;
  readonly pagination?: "always" | "beyond-one-page";
  /** Shown above the table, also while there are no rows. */
  readonly before?: ReactNode;
  /** The columns that the list's address hides. */
  readonly hide?: string | undefined;
  /** The page that the list's address asks for; the answer may lag behind. */
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

/**
 * An empty list either has filters that can be cleared, or is at its beginning: then it says what
 * would fill it.
 */
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
  /** The next step to take at the beginning. */
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
