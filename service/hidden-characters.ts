/**
 * Characters that hide or reorder text: controls, formatting characters (Unicode's direction
 * controls among them), separators of lines, and lone surrogates. The joiners U+200C and U+200D
 * stay, since Persian, Hindi and emoji are spelled with them.
 */
const HIDDEN = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** More marks on one letter than any language has: ordering them takes the square of their number. */
const MANY_MARKS = /\p{M}{31,}/gu;

/** Normalizes text in linear time: longer runs of combining marks stay as they are written. */
export function normalized(text: string, form: "NFC" | "NFD" | "NFKD"): string {
  let before = 0;
  let result = "";
  for (const { index, 0: marks } of text.matchAll(MANY_MARKS)) {
    result += text.slice(before, index).normalize(form) + marks;
    before = index + marks.length;
  }
  return result + text.slice(before).normalize(form);
}

/** Replaces hidden characters of foreign text, and composes the rest (NFC). */
export function replaceHidden(text: string, replacement: string): string {
  return normalized(text.replaceAll(HIDDEN, replacement), "NFC");
}
