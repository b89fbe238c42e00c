/**
 * One step of the schema, forward only, applied in one transaction. A step is never changed once it
 * is on main. It should only add, so that the version before still runs on the new schema; one that
 * does more says so. The statements change the schema, not as many rows as there are: all steps of an
 * upgrade are one batch, which D1 ends after 30 s.
 */
export type Migration = {
  readonly name: string;
  readonly statements: readonly string[];
  /**
   * Fills what `statements` added, after the start and while the service runs (backfills.ts): one
   * statement that changes at most as many rows as its only placeholder says, and none once all are
   * filled. Until then readers meet both kinds of rows, and later steps may not rely on it.
   */
  readonly backfill?: string;
};
