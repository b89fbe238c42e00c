import * as z from "zod/mini";

/**
 * In the `details` of a `forbidden` whose session would do, were its sign-in more recent: signing in
 * again helps, and nothing else does.
 */
export const SIGN_IN_TOO_OLD = "signIn";

export const ERROR_CODES = [
  "invalid_request",
  "unauthenticated",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "conflict",
  "too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal_error",
  "upstream_error",
  "unavailable",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * What each code means, and the status it comes with. Codes are stable: clients go by
 * them, people by `message`.
 */
export const ERROR_STATUS = {
  /** A field, parameter or body that the contract does not allow; `details` names each. */
  invalid_request: 400,
  /** No live session. Nothing else is 401, because the console signs out on it. */
  unauthenticated: 401,
  /** The session lacks the right, or another site asked. */
  forbidden: 403,
  /** No such call or thing. */
  not_found: 404,
  /** The path exists for the methods that the `Allow` header lists. */
  method_not_allowed: 405,
  /** The thing is in a state that does not offer this, or is there already. */
  conflict: 409,
  /** The body is larger than `MAX_BODY_BYTES`. */
  too_large: 413,
  /** The body is not JSON in UTF-8. */
  unsupported_media_type: 415,
  /** Too many requests; `Retry-After` says when to come back. */
  rate_limited: 429,
  /** Ours: logged with the request's id and its cause. */
  internal_error: 500,
  /** A refusal by Twitch or another provider, whatever its own status was. */
  upstream_error: 502,
  /** A part of the service cannot answer now, or is not set up. */
  unavailable: 503,
} as const satisfies Record<ErrorCode, number>;

/** `message` is a sentence fit for a toast; `details` maps a refused field's path to its fault. */
export const errorBodySchema = z.object({
  error: z.object({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    details: z.optional(z.record(z.string(), z.string())),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
