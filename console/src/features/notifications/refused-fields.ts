import { ApiError, refusalOf } from "#console/lib/api-error.ts";

const FIELD_LABELS: ReadonlyMap<string, string> = new Map([
  ["telegramUserId", "Telegram User ID"],
  ["telegramUsername", "Telegram Username"],
  ["email", "Email Address"],
]);

/** Errors by field name. */
export function refusedFields(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  const prefix = "preferences.";
  return Object.fromEntries(
    Object.entries(error.details).map(([path, fault]) => [path.replace(prefix, ""), fault]),
  );
}

/** The service's message, with a field named by its label in the form. */
export function refusalText(error: unknown, fallback: string): string {
  for (const [name, fault] of Object.entries(refusedFields(error))) {
    const label = FIELD_LABELS.get(name);
    if (label !== undefined) return `${label} ${fault}.`;
  }
  return refusalOf(error, fallback);
}
