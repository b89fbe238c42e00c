import { DatabaseError, type Database, type Statement } from "#service/ports/database.ts";
import type { SeededDice } from "../seeded-dice.ts";
import type { Faults } from "./faults.ts";
import type { Connect, Life } from "./life.ts";

/**
 * One database for all processes, which refuses calls and loses answers. `afterWrite` runs after
 * each write that took effect, before anything else can happen.
 */
export function createSharedDatabase(
  database: Database,
  faults: Faults,
  dice: SeededDice,
  afterWrite: (life: Life) => Promise<void>,
): Connect<Database> {
  return (life) => {
    function ask<T>(
      what: string,
      changesOf: (result: T) => number | null,
      effect: () => Promise<T>,
    ): Promise<T> {
      return life.call(what, { delayMs: dice.random() * 8 }, async () => {
        const fate = dice.random();
        if (fate < faults.databaseRefuses) throw new DatabaseError("unavailable", "Refused");
        const result = await effect();
        const changes = changesOf(result);
        if (changes !== null) {
          if (changes > 0 && isWatched(what)) await afterWrite(life);
          if (fate < faults.databaseRefuses + faults.databaseAnswerLost)
            throw new DatabaseError("unavailable", "The answer was lost");
        }
        return result;
      });
    }
    return {
      all: (statement) =>
        ask(`read ${briefly(statement)}`, noChanges, () => database.all(statement)),
      run: (statement) => {
        const what = `write ${briefly(statement)}`;
        return ask(
          what,
          ({ changes }) => changes,
          () => database.run(statement),
        );
      },
      batch: (statements) =>
        ask(`batch ${briefly(statements[0])}`, sumOfChanges, () => database.batch(statements)),
    };
  };
}

const noChanges = (): null => null;

function sumOfChanges(results: readonly { readonly changes: number }[]): number {
  return results.reduce((sum, { changes }) => sum + changes, 0);
}

/** Some writes concern no upload, file, event or audit entry. */
function isWatched(what: string): boolean {
  return !/store_|sessions|notification_deliveries|single_uses/.test(what);
}

function briefly(statement: Statement | undefined): string {
  return statement?.sql.trimStart().slice(0, 40).replaceAll(/\s+/g, " ") ?? "nothing";
}
