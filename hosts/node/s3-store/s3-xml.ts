/**
 * A parser for the subset of XML that S3 uses: elements without relevant attributes, never mixed
 * with text (docs.aws.amazon.com/AmazonS3/latest/API). Anything else is not found.
 */

/**
 * The contents of all elements of this name, in order; S3 does not nest them. Takes linear time,
 * whatever the text is.
 */
export function elements(xml: string, name: string): readonly string[] {
  const found: string[] = [];
  const open = `<${name}`;
  const close = `</${name}>`;
  let from = 0;
  for (;;) {
    const start = xml.indexOf(open, from);
    if (start === -1) return found;
    from = start + open.length;
    if (!/[\s>]/.test(xml.charAt(from))) continue;
    const innerStart = xml.indexOf(">", from) + 1;
    const innerEnd = innerStart === 0 ? -1 : xml.indexOf(close, innerStart);
    if (innerEnd === -1) return found;
    found.push(xml.slice(innerStart, innerEnd));
    from = innerEnd + close.length;
  }
}

/** The text of the first element of this name; null when there is none. */
export function elementText(xml: string, name: string): string | null {
  const [inner] = elements(xml, name);
  return inner === undefined ? null : unescapeXml(inner);
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

function unescapeXml(text: string): string {
  return text.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return NAMED[name] ?? whole;
    const isHex = name[1] === "x" || name[1] === "X";
    const codePoint = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole;
  });
}

/** For the text of an element; quotes need no escape there. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
