import * as auth from "#contract/auth.ts";
import type { ApiError } from "#service/api-error.ts";
import type { ServiceContext } from "#service/context.ts";
import type { RecordRefusal, RequestScope } from "#service/http/refusal.ts";
import { repeatedAuditEntry } from "#service/changes/audit-entry.ts";
import { HOUR_MS, type RefusalCounts, type RefusalKind } from "./refusal-counts.ts";

/**
 * Refusals of a user are entries of the audit log, one per hour, user or token, call and code; those without
 * a session are only counted.
 */
export function createRefusalRecord(
  { platform, log }: ServiceContext,
  counts: RefusalCounts,
): RecordRefusal {
  return async (refusal, scope) => {
    const { principal, clientAddress } = scope;
    if (principal === null || scope.call === auth.callback) {
      const kind = kindOf(refusal, scope);
      if (kind !== null) counts.add(kind, clientAddress);
      return;
    }
    if (refusal.code !== "forbidden" && refusal.code !== "rate_limited") return;
    const atMs = platform.clock.now();
    const hourAtMs = atMs - (atMs % HOUR_MS);
    const call = `${scope.method} ${scope.call?.path ?? ""}`;
    try {
      await platform.database.run(
        repeatedAuditEntry(
          {
            atMs,
            actorId: principal.userId,
            action: "access.refuse",
            target: `${scope.method} ${scope.pathname}`.slice(0, 300),
            result: "refused",
            reason: refusal.message,
            requestId: scope.requestId,
            token: principal.token,
            address: clientAddress,
          },
          `${hourAtMs} ${principal.token?.id ?? principal.userId} ${refusal.code} ${call}`,
          1,
        ),
      );
    } catch (error) {
      log.error("A refusal could not be recorded", {
        requestId: scope.requestId,
        error,
      });
    }
  };
}

function kindOf({ code }: ApiError, scope: RequestScope): RefusalKind | null {
  if (code === "rate_limited") return "rate_limited";
  if (code === "forbidden") return "other_site";
  if (scope.call === auth.callback) return "failed_sign_in";
  if (code !== "unauthenticated") return null;
  return scope.hasCredentials ? "dead_token" : "no_session";
}
