import * as auth from "#contract/auth.ts";
import type { AnyCall } from "#contract/call.ts";
import { repeatedAuditEntry } from "#service/audit/audit-entry.ts";
import { HOUR_MS, type RefusalCounts, type RefusalKind } from "#service/audit/refusal-counts.ts";
import type { ServiceContext } from "#service/context.ts";
import { Failure } from "#service/failure.ts";
import { errorResponse, unexpectedFailure } from "./error-response.ts";
import { outageOf } from "./outage.ts";
import type { Principal } from "./route.ts";

/** The facts known about a request if it fails, filled in while it is processed. */
export type RequestScope = {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly method: string;
  readonly pathname: string;
  call: AnyCall | null;
  /** The request has a credential that may open a session. */
  hasCredentials: boolean;
  principal: Principal | null;
  isProtocol: boolean;
};

/**
 * Creates the answer to an error, with its only log line and audit row. Unexpected errors return
 * only the request id.
 */
export function createRefusals(
  context: ServiceContext,
  counts: RefusalCounts,
): (error: unknown, scope: RequestScope) => Promise<Response> {
  const { platform, log } = context;

  async function refuse(error: unknown, scope: RequestScope): Promise<Response> {
    const outage = outageOf(error);
    if (outage !== null) {
      log.error("A request met an outage", { ...describe(scope), error });
      return errorResponse(outage);
    }
    if (!(error instanceof Failure)) {
      log.error("A request failed unexpectedly", { ...describe(scope), error });
      return errorResponse(unexpectedFailure(error, scope.requestId));
    }
    if (error.code === "upstream_error" || error.code === "internal_error")
      log.warn("A request failed", { ...describe(scope), error });
    if (!error.isAudited) await recordRefusal(error, scope);
    return errorResponse(error);
  }

  /** A failure to record must not change the refusal. */
  async function recordRefusal(failure: Failure, scope: RequestScope): Promise<void> {
    const { principal, clientAddress } = scope;
    if (principal === null || scope.call === auth.callback) {
      const kind = kindOf(failure, scope);
      if (kind !== null) counts.add(kind, clientAddress);
      return;
    }
    if (failure.code !== "forbidden" && failure.code !== "rate_limited") return;
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
            reason: failure.message,
            requestId: scope.requestId,
            address: clientAddress,
          },
          `${hourAtMs} ${principal.userId} ${failure.code} ${call}`,
          1,
        ),
      );
    } catch (error) {
      log.error("A refusal could not be put on record", { ...describe(scope), error });
    }
  }

  return refuse;
}

function kindOf({ code }: Failure, scope: RequestScope): RefusalKind | null {
  if (code === "rate_limited") return "rate_limited";
  if (code === "forbidden") return "other_site";
  if (scope.call === auth.callback) return "failed_sign_in";
  if (code !== "unauthenticated") return null;
  return scope.hasCredentials ? "dead_token" : "no_session";
}

function describe(scope: RequestScope): Record<string, unknown> {
  return {
    requestId: scope.requestId,
    call: scope.call === null ? null : `${scope.call.method} ${scope.call.path}`,
    userId: scope.principal?.userId ?? null,
  };
}
