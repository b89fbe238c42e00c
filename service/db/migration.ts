/**
 * One step of the schema, forward only, applied in one transaction. A step is never changed once it
 * is on main. It should only add, so that the version before still runs on the new schema; one that
 * does more says so.
 */
export type Migration = {
  readonly name: string;
  readonly statements: readonly string[];
};
