import type { AnyCall } from "#contract/call.ts";
import { Failure } from "#service/failure.ts";
import { errorResponse } from "./error-response.ts";
import { allowPreflight } from "./response-headers.ts";

/** The requested method of a preflight, else the request's own method. */
export function methodAsked(request: Request): string {
  if (request.method !== "OPTIONS") return request.method;
  return request.headers.get("access-control-request-method") ?? "OPTIONS";
}

/** Lists the allowed methods: 204 for OPTIONS, an error for any other method. */
export function refuseMethod(request: Request, allowed: readonly string[]): Response {
  const headers = { allow: allowed.join(", ") };
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers });
  const refusal = errorResponse(
    new Failure("method_not_allowed", "This address does not take that kind of request."),
  );
  refusal.headers.set("allow", headers.allow);
  return refusal;
}

/** Answers a CORS preflight for this call. */
export function preflight(call: AnyCall): Response {
  const response = new Response(null, { status: 204 });
  allowPreflight(response.headers, [call.method]);
  return response;
}
