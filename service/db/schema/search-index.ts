/** Only numbers are kept; the texts are in the base tables. `texts` are columns of the view. */
export function searchIndex(name: string, texts: readonly string[]): string {
  return `CREATE VIRTUAL TABLE ${name}_search USING fts5 (
    ${texts.join(", ")}, content='', contentless_delete=1, tokenize="trigram remove_diacritics 0")`;
}

/** For triggers on the list's table: the row `new` as its view `<name>_texts` has it. */
export function indexRow(name: string, texts: readonly string[]): string {
  return `INSERT INTO ${name}_search (rowid, ${texts.join(", ")})
      SELECT seq, ${texts.join(", ")} FROM ${name}_texts WHERE seq = new.seq;`;
}
