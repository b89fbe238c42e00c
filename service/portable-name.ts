import { replaceHidden } from "./hidden-characters.ts";

/** What Windows does not allow in names (learn.microsoft.com, "Naming files, paths, namespaces"). */
const FORBIDDEN = /[<>:"/\\|?*]/g;

/** Devices, with any extension; superscript digits count, and so do spaces before the extension. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?= *(?:\.|$))/i;

/** One segment of a path on Linux, macOS and Windows; never empty. Idempotent. */
export function portableName(text: string): string {
  const plain = replaceHidden(text, "")
    .replaceAll(FORBIDDEN, "_")
    .replaceAll(/^[ .]+|(?<![ .])[ .]+$/g, "");
  return plain === "" || RESERVED.test(plain) ? `_${plain}` : plain;
}
