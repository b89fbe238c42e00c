import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { listAudit } from "#contract/audit.ts";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import { call } from "#console/lib/api-client.ts";
import type { ViewOf } from "#console/lib/api-request.ts";
import { auditKeys } from "#console/lib/query-keys.ts";

/** Not polled: rows must not move while older entries are read. */
export function auditQuery(view: ViewOf<typeof listAudit>) {
  return queryOptions({
    queryKey: auditKeys.list(view),
    queryFn: ({ signal }) =>
      call(listAudit, { query: { ...view, limit: DEFAULT_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: JUST_ANSWERED_MS,
  });
}
