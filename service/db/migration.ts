/**
 * One step of the schema, forward only. Columns are added first. Statements run one by one and must
 * be safe to run again: a start that stops half way repeats the step. Only add; old code must work
 * on the new schema.
 */
export type Migration = {
  readonly name: string;
  readonly columns?: readonly NewColumn[];
  readonly statements: readonly string[];
};

/** Is left out where the table has it: SQLite has no ADD COLUMN IF NOT EXISTS. */
export type NewColumn = {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
};
