import type { UseQueryResult } from "@tanstack/react-query";
import { use, type ReactNode } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { SharedFailure } from "#console/lib/failed-queries.ts";
import { ErrorState } from "./error-state.tsx";
import { SkeletonFacts } from "./facts.tsx";

const FAILURE = "Failed to load data";

/**
 * One query's content: loading, failed, or its data. The retry button is here, or in the banner of
 * the page if other queries failed as well.
 */
export function QueryBody<Data>({
  query,
  skeleton = <SkeletonFacts rows={4} />,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  const hasBanner = use(SharedFailure);
  if (query.data !== undefined) return children(query.data);
  if (query.isError && hasBanner) return <p className="small soft">{FAILURE}</p>;
  if (query.isError) {
    return (
      <ErrorState
        title={FAILURE}
        message={messageOf(query.error)}
        retrying={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <div aria-busy="true">{skeleton}</div>;
}
