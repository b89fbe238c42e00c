import type { AnyCall } from "#contract/call.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { errorResponse, unexpectedError } from "./error-response.ts";
import type { Principal } from "./route.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { StoreError } from "#service/ports/object-store.ts";

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

/** Locks and restarts usually end within this time; screens that poll recover by themselves. */
const RETRY_AFTER_SEC = 5;

/** A full disk or refused credentials need an operator. */
const OPERATOR_RETRY_AFTER_SEC = 60;

/**
 * The answer for an error that means the database or the object store cannot work; null for any
 * other error. No stale data is served instead, since screens keep what they have shown.
 */
function outageOf(error: unknown): ApiError | null {
  if (error instanceof DatabaseError)
    return error.kind === "full"
      ? unavailable(error, "The database is full and accepts no changes.", OPERATOR_RETRY_AFTER_SEC)
      : unavailable(error, "The database is not responding. Try again in a moment.");
  if (!(error instanceof StoreError)) return null;
  switch (error.kind) {
    case "full":
      return unavailable(error, error.message, OPERATOR_RETRY_AFTER_SEC);
    case "denied":
      return unavailable(
        error,
        "The object store refuses access. System health says why.",
        OPERATOR_RETRY_AFTER_SEC,
      );
    case "cold":
      return unavailable(
        error,
        "The object is in cold storage. It can be read after it was restored at the store.",
        OPERATOR_RETRY_AFTER_SEC,
      );
    case "unmarked":
    case "foreign":
      return unavailable(
        error,
        "The object store is not the one that this Vodkeep uses. System health says why.",
        OPERATOR_RETRY_AFTER_SEC,
      );
    case "unavailable":
      return unavailable(error, "The object store is not responding. Try again in a moment.");
    default:
      return null;
  }
}

function unavailable(cause: Error, message: string, retryAfterSec = RETRY_AFTER_SEC): ApiError {
  return new ApiError("unavailable", message, { retryAfterSec, cause });
}
