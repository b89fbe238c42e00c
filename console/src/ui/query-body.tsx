import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { ErrorState } from "./error-state.tsx";
import { SkeletonFacts } from "./facts.tsx";

/** One query's content: loading, failed with a retry button, or its data. */
export function QueryBody<Data>({
  query,
  skeleton = <SkeletonFacts rows={4} />,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    return (
      <ErrorState
        title="Failed to load data"
        message={messageOf(query.error)}
        retrying={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <div aria-busy="true">{skeleton}</div>;
}
