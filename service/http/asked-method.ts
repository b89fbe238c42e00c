import type { AnyCall } from "#contract/call.ts";
import { Failure } from "#service/failure.ts";
import { errorResponse } from "./error-response.ts";
import { allowPreflight } from "./response-headers.ts";

/** A preflight asks about another method; without that header OPTIONS asks about the path. */
export function methodAsked(request: Request): string {
  if (request.method !== "OPTIONS") return request.method;
  return request.headers.get("access-control-request-method") ?? "OPTIONS";
}

/** Names what the address does take; OPTIONS asks for just that. */
export function refuseMethod(request: Request, allowed: readonly string[]): Response {
  const headers = { allow: allowed.join(", ") };
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers });
  const refusal = errorResponse(
    new Failure("method_not_allowed", "This address does not take that kind of request."),
  );
  refusal.headers.set("allow", headers.allow);
  return refusal;
}

/** Another site's browser asks whether it may make this call. */
export function preflight(call: AnyCall): Response {
  const response = new Response(null, { status: 204 });
  allowPreflight(response.headers, [call.method]);
  return response;
}
