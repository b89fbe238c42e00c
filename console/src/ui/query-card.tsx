import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Permission } from "#contract/permissions.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Card } from "./card.tsx";
import { ForbiddenState } from "./forbidden-state.tsx";
import { QueryBody } from "./query-body.tsx";
import { StaleMark } from "./stale-mark.tsx";

/**
 * A panel for one query that fails independently: forbidden, loading, failed with a retry button,
 * or its content. The header shows the data's age once polls are missed.
 */
export function QueryCard<Data>({
  title,
  query,
  permission,
  intervalMs,
  actions,
  before,
  skeleton,
  children,
}: {
  readonly title: string;
  readonly query: UseQueryResult<Data>;
  /** The permission to read it. */
  readonly permission: Permission;
  /** Polling interval; false while paused. */
  readonly intervalMs: number | false;
  readonly actions?: ReactNode;
  /** Shown above the content, even without any. */
  readonly before?: ReactNode;
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  const isForbidden = useMissingPermission(permission) !== undefined;
  return (
    <Card
      title={title}
      actions={
        <>
          <StaleMark query={query} intervalMs={intervalMs} />
          {!isForbidden && actions}
        </>
      }
    >
      {isForbidden ? (
        <ForbiddenState permission={permission} />
      ) : (
        <>
          {before}
          <QueryBody query={query} skeleton={skeleton}>
            {children}
          </QueryBody>
        </>
      )}
    </Card>
  );
}
