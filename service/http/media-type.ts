/** The type of a message's body, in lower case and without parameters (RFC 9110 section 8.3.1). */
export function mediaTypeOf(headers: Headers): string {
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  return type.trim().toLowerCase();
}
