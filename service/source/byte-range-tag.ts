/** `<length>[@<offset>]`; without an offset it follows the range before it in the same resource. */
export type ByteRangeTag = { readonly length: number; readonly offset: number | null };

/** Parses a byte range (RFC 8216 section 4.3.2.2); null if it is invalid or unsafe as a number. */
export function parseByteRangeTag(text: string): ByteRangeTag | null {
  const match = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(text.trim());
  if (match === null) return null;
  const length = Number(match[1]);
  if (length === 0) return null;
  return { length, offset: match[2] === undefined ? null : Number(match[2]) };
}
