import type { ProtocolCall } from "#contract/manual-uploads.ts";
import type { RequestContext } from "./route.ts";

/**
 * Serves a request of a protocol that works by headers; rights are checked before, as for calls.
 */
export type ProtocolHandler = (input: {
  readonly params: Readonly<Record<string, string>>;
  readonly context: RequestContext;
}) => Promise<Response>;

export type ProtocolRoute = { readonly call: ProtocolCall; readonly handle: ProtocolHandler };

export function protocolRoute(call: ProtocolCall, handle: ProtocolHandler): ProtocolRoute {
  return { call, handle };
}

/**
 * tus headers that a console on another origin may send and read. Upload-Concat and
 * Upload-Defer-Length are refused with a reason, which browsers show only if they may be sent.
 */
const REQUEST_HEADERS =
  "Authorization, Content-Type, Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset, Upload-Checksum, Upload-Concat, Upload-Defer-Length, X-HTTP-Method-Override, X-Requested-With, X-Request-Id";
const RESPONSE_HEADERS =
  "Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset";

/**
 * "The Tus-Resumable header MUST be included in every request and response except for OPTIONS
 * requests."
 */
export function addProtocolHeaders(request: Request, headers: Headers): void {
  if (request.method === "HEAD") headers.delete("content-type");
  if (request.method !== "OPTIONS") headers.set("tus-resumable", "1.0.0");
  headers.set("access-control-expose-headers", RESPONSE_HEADERS);
  const requestedMethod = request.headers.get("access-control-request-method");
  if (request.method !== "OPTIONS" || requestedMethod === null) return;
  headers.set("access-control-allow-methods", requestedMethod);
  headers.set("access-control-allow-headers", REQUEST_HEADERS);
  headers.set("access-control-max-age", "600");
}

/**
 * "X-HTTP-Method-Override … MUST be interpreted as the request's method by the Server, if the
 * header is presented." For clients behind proxies that only let POST through.
 */
export function protocolMethod(request: Request): string {
  const override = request.headers.get("x-http-method-override");
  return request.method === "POST" && (override === "PATCH" || override === "DELETE")
    ? override
    : request.method;
}
