/**
 * Characters that hide or reorder text: controls, formatting characters (Unicode's direction
 * controls among them), separators of lines, and lone surrogates. The joiners U+200C and U+200D
 * stay, since Persian, Hindi and emoji are spelled with them.
 */
const HIDDEN = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Replaces hidden characters of foreign text, and composes the rest (NFC). */
export function replaceHidden(text: string, replacement: string): string {
  return text.replaceAll(HIDDEN, replacement).normalize("NFC");
}
