import * as z from "zod/mini";

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
 * 401 is only for a missing, expired or revoked session, because the console signs out on it. A
 * refusal by Twitch or another provider is `upstream_error`, whatever its own status was.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  upstream_error: 502,
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
