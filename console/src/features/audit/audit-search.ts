import { userIdSchema, type UserId } from "#contract/ids.ts";
import { MAX_SEARCH_LENGTH } from "#contract/limits.ts";
import {
  readChoice,
  readHide,
  readPage,
  readText,
  type RawSearch,
} from "#console/lib/search-params.ts";

export const AUDIT_RESULTS = ["done", "refused"] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

/** Search parameters of the audit screen; absent means no filter. */
export type AuditSearch = {
  readonly page?: number | undefined;
  readonly search?: string | undefined;
  readonly action?: string | undefined;
  /** User id of the actor. */
  readonly actor?: UserId | undefined;
  readonly result?: AuditResult | undefined;
  /** Hidden columns, e.g. `size,started`. */
  readonly hide?: string | undefined;
  /** The entry whose details are open. */
  readonly entry?: string | undefined;
};

export function readAuditSearch(search: RawSearch): AuditSearch {
  return {
    page: readPage(search["page"]),
    search: readText(search["search"], MAX_SEARCH_LENGTH),
    action: readText(search["action"], 60),
    actor: userIdSchema.safeParse(search["actor"]).data,
    result: readChoice(search["result"], AUDIT_RESULTS),
    hide: readHide(search["hide"]),
    entry: readText(search["entry"], 20),
  };
}
