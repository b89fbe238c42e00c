/** Scripts that are spelled with the joiners U+200C and U+200D. */
const JOINED_SCRIPTS =
  "Arab Syrc Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr".split(" ");
const JOINED = `[${JOINED_SCRIPTS.map((script) => `\\p{scx=${script}}`).join("")}]`;

/**
 * Names and titles are untrusted. Characters that reorder, hide or stack text are replaced by a
 * visible mark, so that a name cannot imitate another or cover its neighbours: control characters,
 * Unicode's bidi controls, zero-width characters, lone surrogates, and more than three combining
 * marks on one letter. Emoji sequences are kept, and joiners within the scripts that need them.
 */
const DECEIVING = [
  "[\\0-\\x08\\x0B-\\x1F\\x7F-\\x9F]",
  "[\\xAD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F]",
  "[\\u2028-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB]",
  "\\p{Cs}",
  // A joiner belongs between two emoji or letters of such a script, tag characters after a black flag.
  `(?<![\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\uFE0F?|${JOINED})\\u200D`,
  `\\u200D(?!\\p{Extended_Pictographic}|${JOINED})`,
  `(?<!${JOINED})\\u200C|\\u200C(?!${JOINED})`,
  "(?<!\\u{1F3F4}[\\u{E0020}-\\u{E007F}]{0,15})[\\u{E0000}-\\u{E007F}]",
  "(?<=[\\u0300-\\u036F]{3})[\\u0300-\\u036F]+",
].join("|");

/** Made for the first text that is not plain: it takes as long as drawing a screen's rows. */
let deceiving: RegExp | undefined;

/** What most texts consist of: Latin letters with their accents, dashes and quotation marks. */
const PLAIN = /^[ -~\xA0-\xAC\xAE-\u02FF\u2010-\u2027]*$/;

export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  deceiving ??= new RegExp(DECEIVING, "gu");
  return text.replace(deceiving, "\uFFFD");
}
