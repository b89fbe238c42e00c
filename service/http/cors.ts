/**
 * Allows only origins on the list and never reflects the request's origin (Fetch standard, CORS).
 */
export function allowOrigin(
  headers: Headers,
  origin: string | undefined,
  allowedOrigins: ReadonlySet<string>,
): void {
  headers.append("vary", "Origin");
  if (origin === undefined || !allowedOrigins.has(origin)) return;
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-allow-credentials", "true");
  headers.append("access-control-expose-headers", "X-Request-Id, Retry-After, Date");
}

/** The requested method of a preflight, else the request's own method. */
export function requestedMethod(request: Request): string {
  if (request.method !== "OPTIONS") return request.method;
  return request.headers.get("access-control-request-method") ?? "OPTIONS";
}

export function answerPreflight(method: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": method,
      "access-control-allow-headers": "Authorization, Content-Type, Last-Event-ID",
      "access-control-max-age": "600",
    },
  });
}
