/**
 * One step of the schema, forward only. Statements run one by one and must be safe to run again:
 * a start that stops half way repeats the step. Only add; old code must work on the new schema.
 */
export type Migration = { readonly name: string; readonly statements: readonly string[] };
