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
      ? unavailable(error, "The database is full and accepts no changes.", OPERATOR_RETRY_AFTER_SEC)
      : unavailable(error, "The database is not responding. Try again in a moment.");
  if (!(error instanceof StoreError)) return null;
  switch (error.kind) {
    case "full":
      return unavailable(error, error.message, OPERATOR_RETRY_AFTER_SEC);
    case "denied":
      return unavailable(
        error,
        "The object store refuses access. System health says why.",
        OPERATOR_RETRY_AFTER_SEC,
      );
    case "cold":
      return unavailable(
        error,
        "The object is in cold storage. It can be read after it was restored at the store.",
        OPERATOR_RETRY_AFTER_SEC,
      );
    case "unmarked":
    case "foreign":
      return unavailable(
        error,
        "The object store is not the one that this Vodkeep uses. System health says why.",
        OPERATOR_RETRY_AFTER_SEC,
      );
    case "unavailable":
      return unavailable(error, "The object store is not responding. Try again in a moment.");
    default:
      return null;
  }
}

function unavailable(cause: Error, message: string, retryAfterSec = RETRY_AFTER_SEC): ApiError {
  return new ApiError("unavailable", message, { retryAfterSec, cause });
}
