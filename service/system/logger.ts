import type { Clock, LogLevel, LogSink } from "#service/platform.ts";
import { maskSecrets } from "./mask-secrets.ts";

export type Logger = Readonly<
  Record<LogLevel, (message: string, meta?: Readonly<Record<string, unknown>>) => void>
>;

/** Secrets are masked here, when written, so that no sink ever holds one. */
export function createLogger(clock: Clock, sink: LogSink): Logger {
  const writer = (level: LogLevel) => (message: string, meta?: Readonly<Record<string, unknown>>) =>
    sink.write({
      level,
      at: new Date(clock.now()),
      message: maskSecrets(message),
      meta: maskMeta(meta ?? {}),
    });
  return {
    error: writer("error"),
    warn: writer("warn"),
    info: writer("info"),
    debug: writer("debug"),
  };
}

function maskMeta(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).map(([name, value]) => [name, maskValue(value, 0)]),
  );
}

/** Deeper structures are cut: a log line is for reading. */
const MAX_DEPTH = 4;

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (value instanceof Error) return describeError(value, depth);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[…]";
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => maskValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, maskValue(inner, depth + 1)]),
  );
}

function describeError(error: Error, depth: number): Record<string, unknown> {
  return {
    name: error.name,
    message: maskSecrets(error.message),
    stack: maskSecrets(error.stack ?? ""),
    ...(error.cause === undefined || depth >= MAX_DEPTH
      ? {}
      : { cause: maskValue(error.cause, depth + 1) }),
  };
}
