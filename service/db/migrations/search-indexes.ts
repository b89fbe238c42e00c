/** Separates texts that must not match across their boundary. Searching for it finds nothing. */
const SEPARATOR = "\u001f";

/** Single and double characters are indexed up to this position; no name is longer. */
export const MAX_INDEXED_CHARACTERS = 1_024;

/**
 * The token of a status or type: three characters (one trigram), unique by its first two letters
 * among the values of its column.
 */
export const facet = (column: string) => `substr(${column}, 1, 2) || '§'`;

/** Every single character and every pair of adjacent characters, as separate words. */
const gramsOf = (column: string) => `(
  SELECT group_concat(substr(t.${column}, n, 1) || char(31) || substr(t.${column}, n, 2), char(31))
  FROM text_positions WHERE n <= length(t.${column}))`;

type SearchedTable = {
  readonly table: string;
  readonly name: string;
  /** Indexed columns of the view `<name>_texts`. */
  readonly texts: readonly string[];
  readonly facets: readonly string[];
  /** Table columns whose changes affect the indexes. */
  readonly sources: readonly string[];
};

/**
 * The two full-text indexes of a searched table, maintained by triggers. For migrations: a change
 * here affects new databases only.
 */
export function searchIndexes({
  table,
  name,
  texts,
  facets,
  sources,
}: SearchedTable): readonly string[] {
  const columns = [...texts, ...facets].join(", ");
  const fill = `
    INSERT INTO ${name}_trigrams (rowid, ${columns})
      SELECT seq, ${columns} FROM ${name}_texts WHERE seq = new.seq;
    INSERT INTO ${name}_grams (rowid, ${columns})
      SELECT seq, ${columns} FROM ${name}_gram_texts WHERE seq = new.seq;`;
  const empty = `
    DELETE FROM ${name}_trigrams WHERE rowid = old.seq;
    DELETE FROM ${name}_grams WHERE rowid = old.seq;`;
  const isChanged = sources.map((column) => `old.${column} IS NOT new.${column}`).join(" OR ");
  return [
    `CREATE VIEW IF NOT EXISTS ${name}_gram_texts AS
      SELECT seq, ${texts.map((text) => `${gramsOf(text)} AS ${text}`).join(", ")}, ${facets.join(", ")}
      FROM ${name}_texts t`,
    `CREATE VIRTUAL TABLE IF NOT EXISTS ${name}_trigrams USING fts5 (
      ${columns}, content='', contentless_delete=1, tokenize="trigram remove_diacritics 0")`,
    `CREATE VIRTUAL TABLE IF NOT EXISTS ${name}_grams USING fts5 (
      ${columns}, content='', contentless_delete=1, detail=column,
      tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Z* C*' separators '${SEPARATOR}'")`,
    `CREATE TRIGGER IF NOT EXISTS ${name}_search_inserted AFTER INSERT ON ${table} BEGIN ${fill} END`,
    `CREATE TRIGGER IF NOT EXISTS ${name}_search_changed AFTER UPDATE OF ${sources.join(", ")} ON ${table}
      WHEN ${isChanged} BEGIN ${empty} ${fill} END`,
    `CREATE TRIGGER IF NOT EXISTS ${name}_search_deleted AFTER DELETE ON ${table} BEGIN ${empty} END`,
  ];
}
