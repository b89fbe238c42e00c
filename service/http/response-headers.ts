/**
 * Headers of every answer of the API (docs/security.md#answers). Answers are data: nothing in them
 * may be executed, framed, cached, or read by another site.
 */
export function protectHeaders(headers: Headers, isHttps: boolean): void {
  setDefault(headers, "cache-control", "no-store");
  setDefault(
    headers,
    "content-security-policy",
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  );
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  headers.set("cross-origin-opener-policy", "same-origin");
  headers.set("cross-origin-resource-policy", "same-site");
  headers.set("x-frame-options", "DENY");
  if (isHttps) headers.set("strict-transport-security", "max-age=31536000");
}

/**
 * Allows only origins on the list and never reflects the request's origin (Fetch standard, CORS).
 */
export function allowOrigin(
  headers: Headers,
  origin: string | null,
  allowedOrigins: ReadonlySet<string>,
): void {
  headers.append("vary", "Origin");
  if (origin === null || !allowedOrigins.has(origin)) return;
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-allow-credentials", "true");
  headers.append("access-control-expose-headers", "X-Request-Id, Retry-After");
}

export function allowPreflight(headers: Headers, methods: readonly string[]): void {
  headers.set("access-control-allow-methods", methods.join(", "));
  headers.set("access-control-allow-headers", "Authorization, Content-Type, Last-Event-ID");
  headers.set("access-control-max-age", "600");
}

function setDefault(headers: Headers, name: string, value: string): void {
  if (!headers.has(name)) headers.set(name, value);
}
