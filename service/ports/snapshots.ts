/** Copies of the database while the service runs. */
export type Snapshots = {
  /** Takes one without blocking requests. The caller removes it. Replaces a former one. */
  take(): Promise<Snapshot>;
  /** Notes that a backup has been proved, for the metrics and the first steps. */
  noteBackup(): Promise<void>;
  /**
   * Unpacks a backup into a temporary folder, has SQLite check it, and compares it with `facts`. Returns
   * a sentence that says what is damaged; null if nothing is. Blocks no requests. Repeating is safe.
   *
   * @throws what stops the test and says nothing about the backup, e.g. an error of `body`
   */
  tryRestoring(body: ReadableStream<Uint8Array>, facts: SnapshotFacts): Promise<string | null>;
};

/** A compressed copy of the database as of one moment, without sessions. */
export type Snapshot = SnapshotFacts & {
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Whether the stream has exactly this snapshot's bytes. Reads it to its end. */
  isSame(body: ReadableStream<Uint8Array>): Promise<boolean>;
  remove(): Promise<void>;
};

export type SnapshotFacts = {
  /** Compressed. */
  readonly sizeBytes: number;
  /** SHA-256 of the compressed bytes, as lower-case hex. */
  readonly sha256: string;
  /** The newest applied migration. */
  readonly schema: string;
  readonly uploads: number;
  readonly files: number;
  /** The newest sealed entry of the audit log: `<number> <seal>`; null without one. */
  readonly auditHead: string | null;
  /** Of the secret key that the database was sealed with; null in backups that do not say. */
  readonly keyFingerprint: string | null;
};
