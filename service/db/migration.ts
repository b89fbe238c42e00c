/**
 * One step of the schema, forward only. Statements run one by one and must be idempotent, because an
 * interrupted start repeats the step. Steps may only add; old code must work on the new schema.
 */
export type Migration = {
  readonly name: string;
  readonly statements: readonly string[];
};
