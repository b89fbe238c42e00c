import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Permission } from "#contract/permissions.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Card } from "./card.tsx";
import { ErrorState } from "./error-state.tsx";
import { ForbiddenState } from "./forbidden-state.tsx";
import { SkeletonFacts } from "./facts.tsx";
import { StaleMark } from "./stale-mark.tsx";

/**
 * A panel that shows one query and fails alone: forbidden, loading, failed with a way to try
 * again, or its content; in the header, how old that is once polls are missed.
 */
export function QueryCard<Data>({
  title,
  query,
  permission,
  intervalMs,
  actions,
  flush = false,
  skeleton = <SkeletonFacts rows={4} />,
  children,
}: {
  readonly title: string;
  readonly query: UseQueryResult<Data>;
  /** What reading it needs. */
  readonly permission: Permission;
  /** How often it is polled; false while that is paused. */
  readonly intervalMs: number | false;
  readonly actions?: ReactNode;
  readonly flush?: boolean;
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  const isForbidden = useMissingPermission(permission) !== undefined;
  const { data } = query;
  function content() {
    if (isForbidden) return <ForbiddenState permission={permission} />;
    if (data !== undefined) return children(data);
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
  return (
    <Card
      title={title}
      flush={flush}
      actions={
        <>
          {data !== undefined && (
            <StaleMark
              updatedAtMs={query.dataUpdatedAt}
              failing={query.isError}
              intervalMs={intervalMs}
            />
          )}
          {!isForbidden && actions}
        </>
      }
    >
      {content()}
    </Card>
  );
}
