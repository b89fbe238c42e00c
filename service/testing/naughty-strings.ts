import { getNaughtyStringList } from "naughty-string-validator";

/**
 * Kinds that were added to the list after the package was published: other spaces, letters beyond
 * the first 65,536 characters, joined emoji, letters of other scripts, templates.
 */
const LATER_KINDS = [
  "\t\u000b\f \u0085\u00a0\u1680\u2002\u2028\u2029\u3000",
  "𐐜𐐔𐐇𐐝𐐀 𐐡𐐇𐐓",
  "丂㐀𠀀 表ポ",
  "¯\\_(ツ)_/¯",
  "👩🏿‍🦰 🧑‍🚀",
  "👨‍👩‍👧‍👦 👩‍👩‍👦",
  "مُنَاقَشَةُ اللُّغَةِ ",
  "᚛ᚐᚑᚒ᚜\u202a",
  "\u202a᚛   ᚜",
  "'; EXEC sp_helptext 'users'; --",
  "گچپژ",
  "{% print 'x' * 9 %}",
  '{{ "".__class__ }}',
];

/** Additional strings: operators and separators of this service's searches and stores. */
const OWN_KINDS = [
  "%",
  "_",
  "\\",
  '"',
  "*",
  "--",
  "NEAR(a b, 1)",
  "a AND b",
  "title:a",
  '"unbalanced',
  "É",
  "e\u0301",
  "é".repeat(25),
  "👨‍👩‍👧".repeat(13),
  "\uffff",
  "\u001b[31m",
  "x".repeat(200),
];

/** The Big List of Naughty Strings (docs/decisions/0120-seeded-simulation.md), each text once. */
export const NAUGHTY_STRINGS: readonly string[] = [
  ...new Set([...getNaughtyStringList(), ...LATER_KINDS, ...OWN_KINDS]),
];
