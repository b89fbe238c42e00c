import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { listAudit } from "#contract/audit.ts";
import type { UserId } from "#contract/ids.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { call } from "#console/lib/api-client.ts";
import type { AuditResult } from "./audit-search.ts";

export type AuditView = {
  readonly page: number;
  readonly search?: string | undefined;
  readonly action?: string | undefined;
  readonly actorId?: UserId | undefined;
  readonly result?: AuditResult | undefined;
};

/** Not polled: rows must not move while older entries are read. */
export function auditQuery(view: AuditView) {
  return queryOptions({
    queryKey: ["audit", "list", view],
    queryFn: ({ signal }) =>
      call(listAudit, { query: { ...view, limit: DEFAULT_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
