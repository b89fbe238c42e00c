import { ApiError } from "#service/api-error.ts";

export type OriginPolicy = { readonly allowedOrigins: ReadonlySet<string> };

const WRITE_METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "DELETE", "PATCH"]);

/**
 * Keeps other sites from acting with an administrator's cookie
 * (docs/security.md#cross-site-requests).
 *
 * - An `Origin` must exactly match the allowlist, or the browser must mark the request same-origin,
 *   under whatever name the service was opened.
 * - A write without `Origin` needs the browser's same-origin or same-site mark, or credentials that
 *   another site cannot make a browser send: an Authorization header. `carriesCookieOnly` is true
 *   when the cookie is the only credential.
 *
 * @throws {ApiError} forbidden
 */
export function checkOrigin(
  request: Request,
  { allowedOrigins }: OriginPolicy,
  carriesCookieOnly: boolean,
): void {
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  if (origin !== null) {
    if (allowedOrigins.has(origin) || site === "same-origin") return;
    throw new ApiError("forbidden", "Requests from this address are not accepted.");
  }
  if (site === "cross-site") {
    throw new ApiError("forbidden", "Requests from other sites are not accepted.");
  }
  if (!WRITE_METHODS.has(request.method)) return;
  if (site === "same-origin" || site === "same-site") return;
  if (carriesCookieOnly)
    throw new ApiError("forbidden", "This change must come from the console, or with a token.");
}

/**
 * Refuses prefetches, which must not trigger anything.
 * @throws {ApiError} invalid_request
 */
export function refusePrefetch(request: Request): void {
  const purpose = request.headers.get("sec-purpose") ?? request.headers.get("purpose") ?? "";
  if (/\bprefetch\b/i.test(purpose))
    throw new ApiError("invalid_request", "This address cannot be prefetched.");
}
