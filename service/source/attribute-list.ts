/**
 * Parses an attribute list (RFC 8216 section 4.2): `NAME=value` pairs, where quoted values may
 * contain commas. Quotes are removed. The first value of a repeated name counts, and parsing stops
 * at the first malformed pair. Takes linear time: neither expression can match a text in two ways.
 */
export function parseAttributeList(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  const pairRe = /\s*([A-Za-z0-9-]+)=(?:"([^"]*)"|([^",]*))/y;
  const separatorRe = /\s*(?:,|$)/y;
  while (separatorRe.lastIndex < text.length) {
    pairRe.lastIndex = separatorRe.lastIndex;
    const pair = pairRe.exec(text);
    separatorRe.lastIndex = pairRe.lastIndex;
    if (pair === null || !separatorRe.test(text)) break;
    const [, name = "", quoted, plain = ""] = pair;
    if (!attributes.has(name)) attributes.set(name, quoted ?? plain.trim());
  }
  return attributes;
}
