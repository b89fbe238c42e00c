import { ApiError } from "#service/api-error.ts";

/** Bodies of the API nest at most four deep; the rest is headroom. */
const MAX_DEPTH = 32;

/**
 * Strict JSON. Repeated names and `__proto__` are refused, because two parsers could read different
 * values; so are NUL and lone surrogates, which stores treat differently (RFC 8259 sections 4 and
 * 8.2 leave all of these to the parser).
 * @throws {ApiError} invalid_request
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ApiError("invalid_request", "The request body is not valid JSON.", { cause });
  }
  checkTokens(text);
  return value;
}

/** `text` is already known to be valid JSON, so only strings and nesting are tracked. */
function checkTokens(text: string): void {
  const openObjects: (Set<string> | null)[] = [];
  const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;
  for (const [match, colon] of text.matchAll(token)) {
    if (match === "{" || match === "[") {
      openObjects.push(match === "{" ? new Set() : null);
      if (openObjects.length > MAX_DEPTH) refuse("is nested too deeply");
    } else if (match === "}" || match === "]") {
      openObjects.pop();
    } else {
      const string = String(
        JSON.parse(colon === undefined ? match : match.slice(0, -colon.length)),
      );
      if (!isPlainText(string)) refuse("holds characters that cannot be stored");
      if (colon !== undefined) checkName(string, openObjects.at(-1));
    }
  }
}

function checkName(name: string, names: Set<string> | null | undefined): void {
  if (name === "__proto__") refuse("has a field named __proto__");
  if (names?.has(name) === true) refuse(`has the field ${JSON.stringify(name).slice(0, 80)} twice`);
  names?.add(name);
}

/** True if the text has no NUL and no lone surrogates. */
export function isPlainText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function refuse(fault: string): never {
  throw new ApiError("invalid_request", `The request body ${fault}.`);
}
