import { replaceHidden } from "./hidden-characters.ts";

/** What Windows does not allow in names (learn.microsoft.com, "Naming files, paths, namespaces"). */
const FORBIDDEN = /[<>:"/\\|?*]/g;

/** Devices, with any extension; superscript digits count, and so do spaces before the extension. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?= *(?:\.|$))/i;

/** One segment of a path on Linux, macOS and Windows; never empty. Idempotent. */
export function portableName(text: string): string {
  const plain = replaceHidden(text.replaceAll(/\s/g, " "), "")
    .replaceAll(/ +/g, " ")
    .replaceAll(FORBIDDEN, "_")
    .replaceAll(/^[ .]+|(?<![ .])[ .]+$/g, "");
  return plain === "" || RESERVED.test(plain) ? `_${plain}` : plain;
}

/** Leaves out characters at the end of `text` until the name that is made of it has room. */
export function shorten(text: string, maxBytes: number, nameOf: (text: string) => string): string {
  // A character has at least one byte.
  const characters = Array.from(text).slice(0, maxBytes);
  for (;;) {
    const name = nameOf(characters.join(""));
    if (new TextEncoder().encode(name).byteLength <= maxBytes || characters.length === 0)
      return name;
    characters.pop();
  }
}
