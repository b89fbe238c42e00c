import { sql } from "./sql.ts";
import type { Statement } from "#service/ports/database.ts";

type SearchedName = "upload" | "file" | "user" | "audit";

/**
 * The full-text indexes of one list, created by the migrations: `trigrams` serves three or more
 * characters, `grams` one or two. Both have the same columns.
 */
export type SearchIndex = {
  readonly trigrams: `${SearchedName}_trigrams`;
  readonly grams: `${SearchedName}_grams`;
};

export type SearchMatch = {
  /** Selects the `rowid`s, which equal the rows' `seq`; add ORDER BY and LIMIT. */
  readonly rows: Statement;
  /**
   * Selects the rows that contain a short piece of a long term: a superset of the matches, fast to
   * read if small. Null for a short term.
   */
  readonly suspects: Statement | null;
};

/** U+001F separates texts in the indexes; a NUL would end the query. No text contains either. */
const NEVER_FOUND = ["\u0000", "\u001f"];

/**
 * Finds rows with `term` in one of `texts`, ignoring case (Unicode's simple case folding). The term
 * is literal: it has no operators or wildcards. Null if no row can match.
 *
 * `facets` restricts to rows by a column's value within the index; see `facet` in
 * `migrations/search-indexes.ts`.
 */
export function searchMatch(
  index: SearchIndex,
  term: string,
  texts: readonly string[],
  facets: Readonly<Record<string, string | undefined>>,
): SearchMatch | null {
  if (NEVER_FOUND.some((character) => term.includes(character))) return null;
  const wellFormed = term.toWellFormed();
  const isShort = Array.from(wellFormed).length < 3;
  const table: Statement = { sql: isShort ? index.grams : index.trigrams, values: [] };
  const narrowing = Object.entries(facets).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} : ${quote(`${value.slice(0, 2)}§`)}`],
  );
  const holding = (text: string): Statement => {
    const expression = [`{${texts.join(" ")}} : ${quote(text)}`, ...narrowing].join(" AND ");
    return sql`SELECT rowid FROM ${table} WHERE ${table} MATCH ${expression}`;
  };
  const piece = tellingPiece(wellFormed);
  return { rows: holding(wellFormed), suspects: piece === null ? null : holding(piece) };
}

const PIECE_CHARACTERS = 6;

/**
 * The six characters up to the term's last digit, or its last six. Ids, and names made of them,
 * share a prefix and differ at the end of their numbers, and the index reads all rows with any
 * three characters of the term.
 */
function tellingPiece(term: string): string | null {
  const characters = Array.from(term);
  if (characters.length <= PIECE_CHARACTERS) return null;
  const digitAt = characters.findLastIndex((character) => /\d/.test(character));
  const end = digitAt === -1 ? characters.length : Math.max(PIECE_CHARACTERS, digitAt + 1);
  return characters.slice(end - PIECE_CHARACTERS, end).join("");
}

/** A string literal in FTS5's query language (sqlite.org/fts5.html section 3.1). */
function quote(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

/** The search term as typed, trimmed; null when empty. */
export function searchTerm(typed: string | undefined): string | null {
  const term = typed?.trim() ?? "";
  return term === "" ? null : term;
}

/**
 * True when SQL's `lower`, which folds ASCII only, folds the term as the indexes do. Testing rows
 * with `instr` then finds the same rows.
 */
export function isFoldedBySql(term: string): boolean {
  return /^[\u0020-\u007e]+$/.test(term);
}
