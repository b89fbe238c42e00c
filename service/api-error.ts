import type { ErrorCode } from "#contract/errors.ts";

/**
 * An expected failure of a call, the only error that the HTTP boundary maps to its own answer.
 * `message` is a sentence for users and never contains a secret.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string>> | undefined;
  /** For `rate_limited` and `unavailable`: when to retry. */
  readonly retryAfterSec: number | undefined;
  /** True if the refusal is already in the audit log. */
  readonly isAudited: boolean;
  /** Overrides the code's HTTP status where a protocol requires another. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & {
      details?: Readonly<Record<string, string>>;
      retryAfterSec?: number;
      isAudited?: boolean;
      status?: number;
      headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.details = options.details;
    this.retryAfterSec = options.retryAfterSec;
    this.isAudited = options.isAudited ?? false;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}
