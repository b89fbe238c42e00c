import { normalized } from "#service/hidden-characters.ts";
import type { Statement } from "#service/ports/database.ts";
import { sql } from "./sql.ts";

/** A search of one list, answered by its full-text index (schema/search-index.ts). */
export type Search = { readonly index: Statement; readonly expression: string };

type SearchIndex = `${"upload" | "file" | "user" | "audit"}_search`;

/** Precedes each word in the indexes. No text contains it. */
const MARK = "\u001f\u001f";

/** The characters after which a word begins. */
const SEPARATORS = [" ", "_", "-", "/", "#", "(", "@"];

/**
 * The SQL that indexes a text: each word after its mark. A trigram of a mark and a word's first
 * character finds what begins with it, so that one index also serves terms shorter than a trigram.
 * For migrations: a change here affects new databases only.
 */
export function marked(text: string): string {
  const words = SEPARATORS.reduce(
    (inner, separator) => `replace(${inner}, '${separator}', '${separator}' || char(31, 31))`,
    text,
  );
  return `char(31, 31) || ${words}`;
}

/** A NUL would end the query, and a mark would match between words. No text contains either. */
const NEVER_FOUND = ["\u0000", "\u001f"];

/**
 * Finds rows with the term as typed, trimmed, in one of `texts`, ignoring case (Unicode's simple
 * case folding) and whether letters are composed. The term is literal: it has no operators or wildcards. One or two characters match
 * beginnings of words. Null if nothing is typed.
 */
export function searchFor(
  index: SearchIndex,
  typed: string | undefined,
  texts: readonly string[],
): Search | null {
  const term = searchTerm(typed);
  if (term === null) return null;
  // Names come composed from most keyboards, and decomposed from macOS.
  const forms = new Set([term, normalized(term, "NFC"), normalized(term, "NFD")]);
  const phrases = [...forms].map((form) => `"${indexedForm(form).replaceAll('"', '""')}"`);
  return {
    index: { sql: index, values: [] },
    expression: `{${texts.join(" ")}} : (${phrases.join(" OR ")})`,
  };
}

/** The term as texts contain it; empty, which matches nothing, if none can. */
function indexedForm(term: string): string {
  if (NEVER_FOUND.some((character) => term.includes(character))) return "";
  let form = term.toWellFormed();
  for (const separator of SEPARATORS) form = form.replaceAll(separator, separator + MARK);
  // A mark at the end follows every such separator, so it is needed only to make up a trigram.
  if (form.endsWith(MARK) && Array.from(term).length >= 3) form = form.slice(0, -MARK.length);
  const missing = Math.max(0, 3 - Array.from(form).length);
  return MARK.slice(0, missing) + form;
}

/** `SELECT rowid …` of the matches, which equal the rows' `seq`. */
export function matchesOf({ index, expression }: Search): Statement {
  return sql`SELECT rowid FROM ${index} WHERE ${index} MATCH ${expression}`;
}

/** The search term as typed, trimmed; null when empty. */
export function searchTerm(typed: string | undefined): string | null {
  const term = typed?.trim() ?? "";
  return term === "" ? null : term;
}
