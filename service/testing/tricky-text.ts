import * as fc from "fast-check";

/**
 * Short texts of what has gone wrong in searches elsewhere: wildcards, quotes, operators of the
 * query language, letters of two cases, characters of one to four bytes, marks that combine.
 * Letters whose upper and lower case differ in number of characters are left out: folding there is
 * a matter of taste.
 */
const PIECES = [
  ...Array.from("aAbBeEzZ019"),
  " ",
  "%",
  "_",
  "-",
  '"',
  "'",
  "\\",
  "*",
  "(",
  ":",
  "^",
  "é",
  "É",
  "ж",
  "Ж",
  "中",
  "😀",
  "👩‍🚀",
  "\u0301",
  "\u202e",
  "\ud800",
  "fa§",
  "vod_",
  "NEAR(",
  " AND ",
  "title:",
];

export const trickyText = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 })
  .map((pieces) => pieces.join(""));

/** Mostly a piece of one of `texts`, so that searches find something. */
export function searchFor(texts: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 1, arbitrary: trickyText },
    {
      weight: 1,
      arbitrary: fc.constantFrom("", " ", "\u0000", "a\u0000b", "\u001f", "é".repeat(30)),
    },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...texts), fc.nat(20), fc.integer({ min: 1, max: 14 }), fc.boolean())
        .map(([text, start, length, isLouder]) => {
          const characters = Array.from(text);
          const piece = characters
            .slice(start % characters.length)
            .slice(0, length)
            .join("");
          return isLouder ? piece.toUpperCase() : piece;
        }),
    },
  );
}

/** What every list's search means: some text holds the term, letter case aside. */
export function holds(texts: readonly (string | null)[], typed: string): boolean {
  const term = fold(typed.trim());
  return term === "" || texts.some((text) => text !== null && fold(text).includes(term));
}

function fold(text: string): string {
  return text.toWellFormed().toLowerCase();
}

/** The order of SQLite's NOCASE: ASCII letters alike, everything else by its bytes. */
export function compareNames(left: string, right: string): number {
  return Buffer.compare(Buffer.from(asciiLower(left)), Buffer.from(asciiLower(right)));
}

function asciiLower(text: string): string {
  return text.toWellFormed().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
