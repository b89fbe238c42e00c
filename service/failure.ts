import type { ErrorCode } from "#contract/errors.ts";

/**
 * An expected failure of a call: the one error that the HTTP boundary turns into its own answer.
 * `message` is a sentence for people and never holds a secret.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string>> | undefined;
  /** For `rate_limited` and `unavailable`: when another try makes sense. */
  readonly retryAfterSec: number | undefined;
  /** True when whoever threw it has put the refusal on the audit record already. */
  readonly isAudited: boolean;
  /** Where a protocol demands another status than the code's own. */
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
