import { ApiError } from "#service/api-error.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { StoreError } from "#service/ports/object-store.ts";

/** Locks and restarts usually end within this time; screens that poll recover by themselves. */
const RETRY_AFTER_SEC = 5;

/** A full disk or refused credentials need an operator. */
const OPERATOR_RETRY_AFTER_SEC = 60;

/**
 * The answer for an error that means the database or the object store cannot work; null for any
 * other error. No stale data is served instead, since screens keep what they have shown.
 */
export function outageOf(error: unknown): ApiError | null {
  if (error instanceof DatabaseError)
    return error.kind === "full"
      ? unavailable("The database is full and accepts no changes.", OPERATOR_RETRY_AFTER_SEC, error)
      : unavailable(
          "The database is not responding. Try again in a moment.",
          RETRY_AFTER_SEC,
          error,
        );
  if (!(error instanceof StoreError)) return null;
  if (error.kind === "full") return unavailable(error.message, OPERATOR_RETRY_AFTER_SEC, error);
  if (error.kind === "denied")
    return unavailable(
      "The object store refuses access. System health says why.",
      OPERATOR_RETRY_AFTER_SEC,
      error,
    );
  if (error.kind === "unavailable")
    return unavailable(
      "The object store is not responding. Try again in a moment.",
      RETRY_AFTER_SEC,
      error,
    );
  return null;
}

function unavailable(message: string, retryAfterSec: number, cause: Error): ApiError {
  return new ApiError("unavailable", message, { retryAfterSec, cause });
}
