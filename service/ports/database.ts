export type SqlValue = string | number | null | Uint8Array;

export type Statement = { readonly sql: string; readonly values: readonly SqlValue[] };

export type Row = Record<string, SqlValue>;

export type RunResult = {
  /** Rows that the statement inserted, changed or deleted. */
  readonly changes: number;
  /** Rows returned by a RETURNING clause. */
  readonly rows: readonly Row[];
};

/**
 * `isEssential`: the write also succeeds on a full disk, as long as the host's reserve lasts. For
 * signing in and out, and for removing a right, an upload or a file: without them a full disk could
 * not be freed. Not for data that callers can grow without bound. Hosts without a disk of their own
 * ignore it.
 */
export type WriteOptions = { readonly isEssential?: boolean };

/** Writes all statements or none. */
export type Write = (statements: readonly Statement[]) => Promise<readonly RunResult[]>;

/**
 * The SQLite dialect within D1's limits: 100 bound values per statement, LIKE patterns up to 50
 * bytes, statements up to 100 kB and 30 s, no BEGIN (developers.cloudflare.com/d1/platform/limits).
 * Foreign keys are on.
 *
 * Methods throw {@link DatabaseError} when the database itself cannot work; a faulty statement
 * throws a plain error.
 */
export type Database = {
  all(statement: Statement): Promise<readonly Row[]>;
  run(statement: Statement, options?: WriteOptions): Promise<RunResult>;
  /**
   * Runs all statements in one transaction: all take effect or none. A statement that changes no
   * row does not stop the batch; see `batchIf` (db/batch-if.ts) for a batch under a condition.
   */
  batch(statements: readonly Statement[], options?: WriteOptions): Promise<readonly RunResult[]>;
  /**
   * Calls `listener` with the true cost of each statement. Absent where the database does not
   * report it; the meter then estimates from the rows returned and changed.
   */
  onUsage?(listener: (usage: RowUsage) => void): void;
  /**
   * Resolves once all earlier writes would survive a power cut. Absent where each write does when
   * it resolves.
   */
  readonly fsync?: () => Promise<void>;
  /** Size of the database in bytes; absent where it is unknown. */
  sizeBytes?(): Promise<number>;
};

/**
 * - `unavailable`: it is locked, missing, damaged or does not answer.
 * - `full`: it can be read, but not written.
 */
export type DatabaseErrorKind = "unavailable" | "full";

/** The write may or may not have taken effect before the failure. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly kind: DatabaseErrorKind;

  constructor(kind: DatabaseErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Cost of a statement in a database billed by rows (D1's result meta). */
export type RowUsage = { readonly rowsRead: number; readonly rowsWritten: number };
