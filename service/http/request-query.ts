import { ApiError } from "#service/api-error.ts";
import { isPlainText } from "./strict-json.ts";

/**
 * The query parameters of an address, each decoded once. A repeated name is refused, because two
 * parsers could read different values.
 * @throws {ApiError} invalid_request
 */
export function readQuery(search: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const pair of search.replace(/^\?/, "").split("&")) {
    if (pair === "") continue;
    const separator = pair.indexOf("=");
    const name = decode(separator < 0 ? pair : pair.slice(0, separator));
    const value = decode(separator < 0 ? "" : pair.slice(separator + 1));
    if (values.has(name)) refuse(name, "is given twice");
    if (!isPlainText(value)) refuse(name, "holds characters that cannot be searched");
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

/** Form encoding: `+` is a space (URL standard, application/x-www-form-urlencoded). */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (cause) {
    throw new ApiError("invalid_request", "The address is not encoded correctly.", { cause });
  }
}

function refuse(name: string, fault: string): never {
  throw new ApiError("invalid_request", "The address has an unsupported parameter.", {
    details: { [name.slice(0, 60)]: fault },
  });
}
