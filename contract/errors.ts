import * as z from "zod/mini";

/**
 * The key in the `details` of a `forbidden` whose only cause is that the sign-in is too old:
 * signing in again helps.
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
 * Meaning and status of each code. Codes are stable: clients rely on them, people read `message`.
 */
export const ERROR_STATUS = {
  /** A field, parameter or body that the contract does not allow; `details` names each. */
  invalid_request: 400,
  /** No live session. Nothing else is 401, because the console signs out on it. */
  unauthenticated: 401,
  /** The session lacks the right, or the request came from another site. */
  forbidden: 403,
  /** No such call or object. */
  not_found: 404,
  /** The path exists for the methods that the `Allow` header lists. */
  method_not_allowed: 405,
  /** The object's state does not allow this, or it already exists. */
  conflict: 409,
  /** The body is larger than `MAX_BODY_BYTES`. */
  too_large: 413,
  /** The body is not UTF-8 JSON. */
  unsupported_media_type: 415,
  /** Too many requests; `Retry-After` says when to retry. */
  rate_limited: 429,
  /** A fault of the service, logged with the request's id and its cause. */
  internal_error: 500,
  /** A refusal by Twitch or another provider, whatever its own status was. */
  upstream_error: 502,
  /** A part of the service does not answer, or is not set up. */
  unavailable: 503,
} as const satisfies Record<ErrorCode, number>;

/** `message` is a sentence for a toast; `details` maps a refused field's path to its fault. */
export const errorBodySchema = z.object({
  error: z.object({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    details: z.optional(z.record(z.string(), z.string())),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
