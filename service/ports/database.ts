export type SqlValue = string | number | null | Uint8Array;

export type Statement = { readonly sql: string; readonly values: readonly SqlValue[] };

export type Row = Record<string, SqlValue>;

export type RunResult = {
  /** Rows that the statement inserted, changed or deleted. */
  readonly changes: number;
  /** Rows of a RETURNING clause. */
  readonly rows: readonly Row[];
};

/**
 * `isEssential`: the write also succeeds on a full disk, as long as what the host keeps in reserve
 * lasts. For signing in and out, and for what ends a right, an upload or a file: without them a full
 * disk could not be emptied. Not for anything that callers can make grow without bound. A host
 * without a disk of its own ignores it.
 */
export type WriteOptions = { readonly isEssential?: boolean };

/**
 * The SQLite dialect inside D1's limits: 100 bound values a statement, LIKE patterns up to 50
 * bytes, statements up to 100 kB and 30 s, no BEGIN (developers.cloudflare.com/d1/platform/limits).
 * Foreign keys are on.
 *
 * Methods throw {@link DatabaseError} when the database cannot work at all; a statement that is at
 * fault itself throws a plain error.
 */
export type Database = {
  all(statement: Statement): Promise<readonly Row[]>;
  run(statement: Statement, options?: WriteOptions): Promise<RunResult>;
  /**
   * Runs all statements in one transaction: all take effect or none. A statement that changes no
   * row does not stop the batch; guards belong into each statement's own WHERE.
   */
  batch(statements: readonly Statement[], options?: WriteOptions): Promise<readonly RunResult[]>;
  /**
   * Calls `listener` with each statement's true cost. Absent where the database cannot tell; the
   * meter then estimates from the rows that come back and the rows that change.
   */
  onUsage?(listener: (usage: RowUsage) => void): void;
  /**
   * Resolves once everything written before would survive a power cut. Absent where every write
   * does so as soon as it resolves.
   */
  readonly makeDurable?: () => Promise<void>;
  /** Bytes the database takes up; absent where it cannot tell. */
  sizeBytes?(): Promise<number>;
};

/**
 * - `unavailable`: it is locked, gone, damaged or does not answer.
 * - `full`: it can still be read, but takes no more.
 */
export type DatabaseErrorKind = "unavailable" | "full";

/** Whether a write took effect before the failure is not known. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly kind: DatabaseErrorKind;

  constructor(kind: DatabaseErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** What a statement costs at a database that bills by the row (D1's result meta). */
export type RowUsage = { readonly rowsRead: number; readonly rowsWritten: number };
