/**
 * Twitch reads the same names from the body and the query string (docs/twitch.md#tokens); the body
 * takes precedence.
 */
export function readForm(url: URL, body: Buffer): URLSearchParams {
  const form = new URLSearchParams(url.searchParams);
  for (const [name, value] of new URLSearchParams(body.toString("utf8"))) form.set(name, value);
  return form;
}

/** Parses a JSON body; null when it is not JSON. */
export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
