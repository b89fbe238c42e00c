/**
 * Names and titles come from strangers. Characters that reorder or hide text (Unicode bidi
 * controls, zero-width and control characters) are shown as a visible mark, so that one name
 * cannot pose as another. The joiner inside an emoji stays.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|(?<!\p{Extended_Pictographic}\uFE0F?)\u200D/gu;

export function visibleText(text: string): string {
  return text.replace(INVISIBLE, "\uFFFD");
}
