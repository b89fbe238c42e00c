import { sql } from "./sql.ts";
import type { Statement } from "#service/ports/database.ts";

type SearchedName = "upload" | "file" | "user" | "audit";

/**
 * The full-text indexes of one list, made by the migrations: `trigrams` answers three and more
 * characters, `grams` one and two. Both have the same columns.
 */
export type SearchIndex = {
  readonly trigrams: `${SearchedName}_trigrams`;
  readonly grams: `${SearchedName}_grams`;
};

export type SearchMatch = {
  /** Selects the `rowid`s, which are the rows' `seq`; add ORDER BY and LIMIT. */
  readonly rows: Statement;
  /**
   * Selects those of all rows that hold a short piece of a long term: the matches and others, but
   * quickly when they are few. Null for a short term.
   */
  readonly suspects: Statement | null;
};

/** U+001F stands between texts in the indexes; a NUL would end the query. No text holds either. */
const NEVER_FOUND = ["\u0000", "\u001f"];

/**
 * Finds rows one of whose `texts` holds `term`, letter case aside (Unicode's simple case folding).
 * The term is literal: nothing in it is an operator or a wildcard. Null: no row can match.
 *
 * `facets` narrow to rows by a column's value within the index; see `facet` in `migrations/search-indexes.ts`.
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
 * The six characters up to the term's last digit, or its last ones. Ids and the names made of them
 * begin alike and differ at the end of their numbers, and the index goes through all rows that hold
 * any three characters of what it is asked for.
 */
function tellingPiece(term: string): string | null {
  const characters = Array.from(term);
  if (characters.length <= PIECE_CHARACTERS) return null;
  const digitAt = characters.findLastIndex((character) => /\d/.test(character));
  const end = digitAt === -1 ? characters.length : Math.max(PIECE_CHARACTERS, digitAt + 1);
  return characters.slice(end - PIECE_CHARACTERS, end).join("");
}

/** A string of FTS5's query language (sqlite.org/fts5.html section 3.1). */
function quote(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

/** A search as it was typed, without outer blanks; null when nothing is left. */
export function searchTerm(typed: string | undefined): string | null {
  const term = typed?.trim() ?? "";
  return term === "" ? null : term;
}

/**
 * True when SQL's `lower` folds the term as the indexes do, so that testing rows with `instr` finds
 * what they find: it knows the letters of ASCII only.
 */
export function isFoldedBySql(term: string): boolean {
  return /^[\u0020-\u007e]+$/.test(term);
}
