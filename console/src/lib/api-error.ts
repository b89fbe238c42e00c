import { errorBodySchema, type ErrorCode } from "#contract/errors.ts";
import { visibleText } from "./visible-text.ts";

const UNKNOWN_ERROR = "Unknown error occurred";

/** `offline`: no answer. `timeout`: none within the limit. `bad_answer`: breaks the contract. */
export type ApiErrorCode = ErrorCode | "offline" | "timeout" | "bad_answer";

/** A failed call. `message` is a sentence fit for a toast. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiErrorCode;
  readonly status: number | null;
  /** Errors by field path. */
  readonly details: Readonly<Record<string, string>>;

  constructor(
    code: ApiErrorCode,
    message: string,
    options: {
      status?: number;
      details?: Readonly<Record<string, string>> | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? null;
    this.details = options.details ?? {};
  }
}

/** The error for a failure status, whatever the body. */
export function apiErrorOf(status: number, body: unknown): ApiError {
  const parsed = errorBodySchema.safeParse(body);
  if (parsed.success) {
    const { code, message, details } = parsed.data.error;
    return new ApiError(code, message, { status, details });
  }
  return new ApiError(status === 401 ? "unauthenticated" : "bad_answer", UNKNOWN_ERROR, { status });
}

/** The sentence to show for any thrown value. */
export function messageOf(error: unknown, fallback: string = UNKNOWN_ERROR): string {
  return error instanceof ApiError && error.message !== "" ? visibleText(error.message) : fallback;
}

/** The service's own message, or `fallback` if it sent none that could be parsed. */
export function refusalOf(error: unknown, fallback: string): string {
  const isAnswered =
    error instanceof ApiError && error.status !== null && error.code !== "bad_answer";
  return isAnswered ? messageOf(error, fallback) : fallback;
}
