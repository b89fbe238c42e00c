import { ERROR_STATUS, type ErrorBody } from "#contract/errors.ts";
import { ApiError } from "#service/api-error.ts";

/** The format of every refusal and failure of the API. */
export function errorResponse(failure: ApiError): Response {
  const body: ErrorBody = {
    error: {
      code: failure.code,
      message: failure.message,
      ...(failure.details === undefined ? {} : { details: { ...failure.details } }),
    },
  };
  const headers = new Headers({ ...failure.headers, "content-type": "application/json" });
  if (failure.retryAfterSec !== undefined)
    headers.set("retry-after", String(Math.max(1, Math.ceil(failure.retryAfterSec))));
  // Names the scheme, as RFC 9110 section 11.6.1 requires; browsers show no prompt for it.
  if (failure.code === "unauthenticated") headers.set("www-authenticate", "Bearer");
  const status = failure.status ?? ERROR_STATUS[failure.code];
  return new Response(JSON.stringify(body), { status, headers });
}

/** Unexpected errors return only the id under which the log has the details. */
export function unexpectedError(cause: unknown, requestId: string): ApiError {
  return new ApiError(
    "internal_error",
    `Something went wrong on our side. It is in the log under request ${requestId}.`,
    { cause },
  );
}
