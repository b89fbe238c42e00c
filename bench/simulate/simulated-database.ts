import { DatabaseSync } from "node:sqlite";
import { createExecute } from "#hosts/node/execute.ts";
import { migrate } from "#service/db/migrate.ts";
import type { Database, Statement } from "#service/ports/database.ts";

type SimulatedDatabase = Database & {
  begin(): void;
  /** Discards all changes since the beginning of the run. */
  end(): void;
};

let opened: Promise<SimulatedDatabase> | null = null;

/**
 * The same database in memory for all runs of a process: each runs in a transaction that is rolled
 * back, so the schema and the prepared statements are kept.
 */
export async function beginDatabase(): Promise<SimulatedDatabase> {
  opened ??= openDatabase();
  const database = await opened;
  database.begin();
  return database;
}

async function openDatabase(): Promise<SimulatedDatabase> {
  const connection = new DatabaseSync(":memory:");
  const execute = createExecute(connection);
  const database: SimulatedDatabase = {
    all: async (statement) => execute(statement).rows,
    run: async (statement) => execute(statement),
    async batch(statements: readonly Statement[]) {
      connection.exec("SAVEPOINT batch");
      try {
        return statements.map(execute);
      } catch (error) {
        connection.exec("ROLLBACK TO batch");
        throw error;
      } finally {
        connection.exec("RELEASE batch");
      }
    },
    begin: () => connection.exec("BEGIN"),
    end: () => connection.exec("ROLLBACK"),
  };
  await migrate(database, 0);
  return database;
}
