import type { AnyCall } from "#contract/call.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { errorResponse, unexpectedError } from "./error-response.ts";
import { outageOf } from "./outage.ts";
import type { Principal } from "./route.ts";

/** The facts known about a request if it fails, filled in while it is processed. */
export type RequestScope = {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly method: string;
  readonly pathname: string;
  /** As declared; null for addresses outside the contract. */
  path: string | null;
  call: AnyCall | null;
  /** The request has a credential that may open a session. */
  hasCredentials: boolean;
  principal: Principal | null;
};

/** Puts a refusal on record. Never rejects: a failure to record must not change the refusal. */
export type RecordRefusal = (refusal: ApiError, scope: RequestScope) => Promise<void>;

/**
 * Creates the answer to an error, with its only log line and audit row. Unexpected errors return
 * only the request id.
 */
export function createRefusals(
  { log }: ServiceContext,
  recordRefusal: RecordRefusal,
): (error: unknown, scope: RequestScope) => Promise<Response> {
  async function refuse(error: unknown, scope: RequestScope): Promise<Response> {
    const outage = outageOf(error);
    if (outage !== null) {
      log.error("A request failed because of an outage", { ...logFieldsOf(scope), error });
      return errorResponse(outage);
    }
    if (!(error instanceof ApiError)) {
      log.error("A request failed unexpectedly", { ...logFieldsOf(scope), error });
      return errorResponse(unexpectedError(error, scope.requestId));
    }
    if (error.code === "upstream_error" || error.code === "internal_error")
      log.warn("A request failed", { ...logFieldsOf(scope), error });
    if (!error.isAudited) await recordRefusal(error, scope);
    return errorResponse(error);
  }

  return refuse;
}

function logFieldsOf(scope: RequestScope): Record<string, unknown> {
  return {
    requestId: scope.requestId,
    call: scope.call === null ? null : `${scope.call.method} ${scope.call.path}`,
    userId: scope.principal?.userId ?? null,
  };
}
