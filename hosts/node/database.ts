import { DatabaseSync, type SQLOutputValue, type StatementSync, constants } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { Database, Row, RunResult, SqlValue, Statement } from "#service/platform.ts";
import { threadProgram } from "./thread-program.ts";

/**
 * The relational database as one SQLite file.
 *
 * Durability: the write-ahead log with synchronous=NORMAL. A commit survives the death of the
 * process at once, and a power cut once the log has been synced, which a thread of its own does
 * every second ({@link CHECKPOINT_INTERVAL_MS}). Syncing inside each commit would hold up every
 * request behind the gigabytes an archive has just handed to the same disk. What a power cut can
 * take away is the last second of commits; the engine proves its parts again and repeats it.
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
  functionArg: 32,
};

/** Distinct statements kept prepared; the service has about two hundred. */
const MAX_PREPARED = 512;

/** At most this much of the last commits is lost by a power cut, and never by a crash. */
const CHECKPOINT_INTERVAL_MS = 1_000;

/**
 * The main thread moves the log into the database by itself only past this many pages (64 MiB),
 * when the thread that normally does so has fallen behind.
 */
const FALLBACK_CHECKPOINT_PAGES = 16_384;

type Prepared = {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
  readonly returning: boolean;
};

/** Opens or creates the file; `:memory:` for a database that lives as long as the object. */
export function openSqliteDatabase(path: string): SqliteDatabase {
  const connection = new DatabaseSync(path, { limits: D1_LIMITS, timeout: 5_000 });
  // 64 MiB of pages keep the indexes of a million uploads warm; reads beyond come through mmap.
  connection.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
    PRAGMA cache_size = -65536;
    PRAGMA mmap_size = 1073741824;
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = ${FALLBACK_CHECKPOINT_PAGES};
  `);
  let insideBatch = false;
  // Transactions belong to batch(): D1 refuses them anywhere else.
  connection.setAuthorizer((action) =>
    !insideBatch &&
    (action === constants.SQLITE_TRANSACTION || action === constants.SQLITE_SAVEPOINT)
      ? constants.SQLITE_DENY
      : constants.SQLITE_OK,
  );
  const prepared = new Map<string, Prepared>();
  const checkpointer = path === ":memory:" ? null : startCheckpointer(path);

  function prepare(text: string): Prepared {
    const known = prepared.get(text);
    if (known !== undefined) {
      // Moved to the end: the map's order is that of last use.
      prepared.delete(text);
      prepared.set(text, known);
      return known;
    }
    const statement = connection.prepare(text);
    const entry = {
      statement,
      returnsRows: statement.columns().length > 0,
      returning: /\breturning\b/i.test(text),
    };
    prepared.set(text, entry);
    if (prepared.size > MAX_PREPARED) {
      const oldest = prepared.keys().next();
      if (oldest.done !== true) prepared.delete(oldest.value);
    }
    return entry;
  }

  function execute({ sql, values }: Statement): RunResult {
    const { statement, returnsRows, returning } = prepare(sql);
    if (!returnsRows) return { changes: Number(statement.run(...values).changes), rows: [] };
    const rows: Row[] = [];
    for (const columns of statement.all(...values)) if (isRow(columns)) rows.push(columns);
    // Each changed row comes back exactly once.
    return { changes: returning ? rows.length : 0, rows };
  }

  return {
    async all(statement) {
      return execute(statement).rows;
    },
    async run(statement) {
      return execute(statement);
    },
    async batch(statements) {
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
    },
    async sizeBytes() {
      const [row] = execute({
        sql: "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
        values: [],
      }).rows;
      return Number(row?.bytes ?? 0);
    },
    async close() {
      await checkpointer?.stop();
      connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      connection.close();
    },
  };
}

/** Integers come as numbers, so a bigint cannot occur; a copy of every row would be most of a read. */
function isRow(columns: Record<string, SQLOutputValue | SqlValue>): columns is Row {
  for (const name in columns)
    if (typeof columns[name] === "bigint") throw new Error(`Column ${name} holds a bigint`);
  return true;
}

function startCheckpointer(path: string): { stop(): Promise<void> } {
  const worker = new Worker(threadProgram("checkpoint-thread"), {
    workerData: { path, intervalMs: CHECKPOINT_INTERVAL_MS },
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
  });
  worker.unref();
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  return {
    async stop() {
      worker.postMessage("stop");
      worker.ref();
      await ended;
    },
  };
}
