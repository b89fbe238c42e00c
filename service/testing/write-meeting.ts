import type { Database, Statement } from "#service/ports/database.ts";

/**
 * Lets concurrent requests write only once all of them have read what they judge by. Without it,
 * one of them may end before another begins, and nothing is concurrent.
 */
export type WriteMeeting = {
  /** The database for the requests. */
  readonly database: Database;
  /** Holds the next `count` batches with a matching statement until the last of them arrives. */
  gather(count: number, which: RegExp): void;
};

export function createWriteMeeting(database: Database): WriteMeeting {
  let missing = 0;
  let awaited = /(?!)/;
  let all = Promise.withResolvers<void>();

  async function meet(statements: readonly Statement[]): Promise<void> {
    if (missing === 0 || !statements.some(({ sql }) => awaited.test(sql))) return;
    missing -= 1;
    if (missing === 0) all.resolve();
    await all.promise;
  }

  return {
    database: {
      ...database,
      async batch(statements, options) {
        await meet(statements);
        return await database.batch(statements, options);
      },
    },
    gather(count, which) {
      missing = count;
      awaited = which;
      all = Promise.withResolvers();
    },
  };
}
