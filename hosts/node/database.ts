import { DatabaseSync, constants } from "node:sqlite";
import {
  DatabaseError,
  type Database,
  type RunResult,
  type Statement,
  type WriteOptions,
} from "#service/ports/database.ts";
import { startCheckpointer } from "./checkpointer.ts";
import { asDatabaseError, isBusy } from "./database-error.ts";
import { createExecute } from "./execute.ts";
import type { ReserveFile } from "./reserve-file.ts";

/**
 * The relational database as one SQLite file.
 *
 * Durability: the write-ahead log with synchronous=NORMAL. A commit survives a process crash at
 * once, and a power cut once the log has been synced, which a separate thread does every second
 * ({@link CHECKPOINT_INTERVAL_MS}). Syncing in each commit would make requests wait for the
 * gigabytes that an archive writes to the same disk. A power cut loses at most the last second of
 * commits, which the engine repeats. Callers about to do something unrepeatable await `fsync`
 * first.
 */
export type SqliteDatabase = Database & {
  /** Syncs the log and closes the file. Statements fail afterwards. */
  close(): Promise<void>;
};

/** D1's limits (developers.cloudflare.com/d1/platform/limits), kept so that both hosts agree. */
const D1_LIMITS = {
  variableNumber: 100,
  likePatternLength: 50,
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  // Undocumented; the runtime refuses the sixth.
  compoundSelect: 5,
  functionArg: 32,
};

/** A power cut loses at most this much of the last commits; a crash loses none. */
const CHECKPOINT_INTERVAL_MS = 1_000;

/**
 * The main thread checkpoints the log itself only beyond this many pages (64 MiB), when the
 * checkpoint thread has fallen behind.
 */
const FALLBACK_CHECKPOINT_PAGES = 16_384;

/**
 * How long a statement waits for another program's lock, blocking all requests. After a timeout,
 * statements do not wait at all until a write succeeds again.
 */
const PATIENCE_MS = 2_000;

type Reserve = Pick<ReserveFile, "shrink" | "refill">;

/**
 * Opens or creates the file; `:memory:` for a database that lives as long as the object. `reserve`
 * is disk space for essential writes when the disk is full.
 */
export function openSqliteDatabase(path: string, reserve: Reserve | null = null): SqliteDatabase {
  const connection = useReserve(reserve, () => connect(path));
  let insideBatch = false;
  // Transactions belong to batch(): D1 refuses them elsewhere.
  connection.setAuthorizer((action) =>
    !insideBatch &&
    (action === constants.SQLITE_TRANSACTION || action === constants.SQLITE_SAVEPOINT)
      ? constants.SQLITE_DENY
      : constants.SQLITE_OK,
  );
  const execute = createExecute(connection);
  const checkpointer = path === ":memory:" ? null : startCheckpointer(path, CHECKPOINT_INTERVAL_MS);
  let isPatient = true;

  /** Converts errors, and lets only the first of many calls wait for a lock. */
  function attempt<Result>(kind: "read" | "write", work: () => Result): Result {
    if (checkpointer?.isFileThere() === false)
      throw new DatabaseError("unavailable", "The database file was moved away or replaced.");
    try {
      const result = work();
      if (kind === "write" && !isPatient) waitForLocks(PATIENCE_MS);
      return result;
    } catch (error) {
      if (isBusy(error) && isPatient) waitForLocks(0);
      throw asDatabaseError(error);
    }
  }

  function write<Result>(options: WriteOptions | undefined, work: () => Result): Result {
    const writing = () => attempt("write", work);
    return options?.isEssential === true ? useReserve(reserve, writing, foldLog) : writing();
  }

  /** Lets the next write restart the log instead of extending it. */
  function foldLog(): void {
    try {
      connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // The log stays as it is.
    }
  }

  function waitForLocks(timeoutMs: number): void {
    isPatient = timeoutMs > 0;
    connection.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }

  function executeAll(statements: readonly Statement[]): readonly RunResult[] {
    insideBatch = true;
    try {
      connection.exec("BEGIN IMMEDIATE");
      insideBatch = false;
      const results = statements.map(execute);
      insideBatch = true;
      connection.exec("COMMIT");
      return results;
    } catch (error) {
      insideBatch = true;
      if (connection.isTransaction) connection.exec("ROLLBACK");
      throw error;
    } finally {
      insideBatch = false;
    }
  }

  return {
    async all(statement) {
      return attempt("read", () => execute(statement)).rows;
    },
    async run(statement, options) {
      return write(options, () => execute(statement));
    },
    async batch(statements, options) {
      return write(options, () => executeAll(statements));
    },
    async fsync() {
      await checkpointer?.syncLog();
    },
    async sizeBytes() {
      const [row] = attempt("read", () => execute(SIZE)).rows;
      return Number(row?.bytes ?? 0);
    },
    async close() {
      await checkpointer?.stop();
      try {
        connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch (error) {
        // The log is kept and recovered by the next connection.
        if (!(asDatabaseError(error) instanceof DatabaseError)) throw error;
      }
      connection.close();
    },
  };
}

const SIZE: Statement = {
  sql: "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  values: [],
};

/**
 * Repeats `work` with one more step of the reserve freed while the disk is full. `beforeRefill`
 * then runs before the reserve is refilled.
 */
function useReserve<Result>(
  reserve: Reserve | null,
  work: () => Result,
  beforeRefill: () => void = () => undefined,
): Result {
  let hasShrunk = false;
  try {
    for (;;) {
      try {
        const result = work();
        if (hasShrunk) beforeRefill();
        return result;
      } catch (error) {
        const isFull = error instanceof DatabaseError && error.kind === "full";
        if (!isFull || reserve?.shrink() !== true) throw error;
        hasShrunk = true;
      }
    }
  } finally {
    if (hasShrunk) reserve?.refill();
  }
}

/** @throws {DatabaseError} */
function connect(path: string): DatabaseSync {
  try {
    const connection = new DatabaseSync(path, { limits: D1_LIMITS, timeout: PATIENCE_MS });
    // 64 MiB of cached pages keep the indexes of a million uploads warm. The file is not mapped: a
    // page that cannot be read would end the process by SIGBUS instead of failing the request.
    // What is deleted, such as an erased name, is overwritten in free pages as well.
    connection.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA foreign_keys = ON;
      PRAGMA secure_delete = ON;
      PRAGMA cache_size = -65536;
      PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = ${FALLBACK_CHECKPOINT_PAGES};
    `);
    return connection;
  } catch (error) {
    throw asDatabaseError(error);
  }
}
