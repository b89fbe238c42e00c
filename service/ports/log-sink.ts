export type LogLevel = "error" | "warn" | "info" | "debug";

export type LogRecord = {
  readonly level: LogLevel;
  readonly at: Date;
  readonly message: string;
  readonly meta: Readonly<Record<string, unknown>>;
};

/** Receives records whose secrets are already masked. Never throws and never waits. */
export type LogSink = { write(record: LogRecord): void };
