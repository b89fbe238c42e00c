import { refusalOf } from "#console/lib/api-error.ts";

/** A fixed text, and the reason if the service has told one: the upload may have moved on. */
export function failureWithReason(failure: string, error: unknown): string {
  const reason = refusalOf(error, "");
  return reason === "" ? failure : `${failure}. ${reason}`;
}
