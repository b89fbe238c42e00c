import { ApiError, messageOf } from "#console/lib/api-error.ts";

/** A fixed text, with the service's reason if the upload has changed or gone meanwhile. */
export function failureWithReason(failure: string, error: unknown): string {
  const hasChanged =
    error instanceof ApiError && (error.code === "conflict" || error.code === "not_found");
  return hasChanged ? `${failure}. ${messageOf(error)}` : failure;
}
