/**
 * One step of the schema, forward only. Columns are added first. Statements run one by one and must
 * be idempotent, because an interrupted start repeats the step. Steps may only add; old code must
 * work on the new schema.
 */
export type Migration = {
  readonly name: string;
  readonly columns?: readonly NewColumn[];
  readonly statements: readonly string[];
};

/** Skipped if the table already has it: SQLite has no ADD COLUMN IF NOT EXISTS. */
export type NewColumn = {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
};
