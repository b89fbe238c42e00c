import * as fc from "fast-check";

/**
 * Short texts that are known to break searches: wildcards, quotes, operators of the query language,
 * upper and lower case, characters of one to four bytes, combining marks. Letters whose upper and
 * lower case differ in length are excluded, because their folding is ambiguous.
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

/** None, or mostly pieces of `texts`, so that searches have matches. */
export function searchFor(texts: readonly string[]): fc.Arbitrary<string | undefined> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
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

/**
 * The meaning of every list's search: some text contains the term, ignoring case. One or two
 * characters have to begin a word.
 */
export function matchesSearch(texts: readonly (string | null)[], typed = ""): boolean {
  const term = typed.trim();
  return [term, term.normalize("NFC"), term.normalize("NFD")].some((form) =>
    containsForm(texts, fold(form)),
  );
}

function containsForm(texts: readonly (string | null)[], term: string): boolean {
  const isWord = Array.from(term).length < 3 && !/[ _/#(@-]/.test(term);
  return (
    term === "" ||
    texts.some(
      (text) =>
        text !== null && (isWord ? beginsWord(fold(text), term) : fold(text).includes(term)),
    )
  );
}

function beginsWord(text: string, term: string): boolean {
  return text.split(/(?<=[ _/#(@-])/).some((word) => word.startsWith(term));
}

function fold(text: string): string {
  return text.toWellFormed().toLowerCase();
}

/** SQLite's NOCASE order: ASCII letters ignoring case, everything else by its bytes. */
export function compareNames(left: string, right: string): number {
  return Buffer.compare(Buffer.from(asciiLower(left)), Buffer.from(asciiLower(right)));
}

function asciiLower(text: string): string {
  return text.toWellFormed().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
