import { MAX_SEARCH_LENGTH } from "#contract/limits.ts";
import { readChoice, readPage, readText, type RawSearch } from "#console/lib/search-params.ts";

export const AUDIT_RESULTS = ["done", "refused"] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

/** What the audit screen keeps in its address. Absent means all of them. */
export type AuditSearch = {
  readonly page?: number | undefined;
  readonly search?: string | undefined;
  readonly action?: string | undefined;
  /** The user id of who did it. */
  readonly actor?: string | undefined;
  readonly result?: AuditResult | undefined;
};

export function readAuditSearch(search: RawSearch): AuditSearch {
  return {
    page: readPage(search["page"]),
    search: readText(search["search"], MAX_SEARCH_LENGTH),
    action: readText(search["action"], 60),
    actor: readText(search["actor"], 64),
    result: readChoice(search["result"], AUDIT_RESULTS),
  };
}
