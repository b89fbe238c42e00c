import { ApiError } from "#service/api-error.ts";
import { isPlainText } from "./strict-json.ts";

/**
 * The query parameters of an address, each decoded once. A repeated name is refused, because two
 * parsers could read different values.
 * @throws {ApiError} invalid_request
 */
export function readQuery(search: string): Record<string, string> {
  try {
    // URLSearchParams would leave malformed text as it is.
    decodeURIComponent(search);
  } catch (cause) {
    throw new ApiError("invalid_request", "The address is not encoded correctly.", { cause });
  }
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (values.has(name)) refuse(name, "is given twice");
    if (!isPlainText(value)) refuse(name, "holds characters that cannot be searched");
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

function refuse(name: string, fault: string): never {
  throw new ApiError("invalid_request", "The address has an unsupported parameter.", {
    details: { [name.slice(0, 60)]: fault },
  });
}
