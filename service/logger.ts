import type { Clock } from "#service/ports/clock.ts";
import type { LogLevel, LogSink } from "#service/ports/log-sink.ts";
import { maskSecrets } from "#service/secrets/mask-secrets.ts";

export type Logger = Readonly<
  Record<LogLevel, (message: string, meta?: Readonly<Record<string, unknown>>) => void>
>;

/** Masks secrets before writing, so that no sink receives one. */
export function createLogger(clock: Clock, sink: LogSink): Logger {
  const writer = (level: LogLevel) => (message: string, meta?: Readonly<Record<string, unknown>>) =>
    sink.write({
      level,
      at: new Date(clock.now()),
      message: oneLine(cut(maskSecrets(message))),
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
    Object.entries(meta)
      .slice(0, MAX_ITEMS)
      .map(([name, value]) => [name, maskValue(value, 0)]),
  );
}

/**
 * Deeper and longer structures are cut, so that log lines stay readable and a hundred fit into an
 * answer.
 */
const MAX_DEPTH = 4;
const MAX_ITEMS = 50;
const MAX_CHARACTERS = 4_000;

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return visible(cut(maskSecrets(value)));
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Error) return describeError(value, depth);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[…]";
  if (Array.isArray(value))
    return value.slice(0, MAX_ITEMS).map((item) => maskValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([name, inner]) => [name, maskValue(inner, depth + 1)]),
  );
}

function describeError(error: Error, depth: number): Record<string, unknown> {
  return {
    name: error.name,
    message: visible(cut(maskSecrets(error.message))),
    stack: visible(cut(maskSecrets(error.stack ?? ""))),
    ...(error.cause === undefined || depth >= MAX_DEPTH
      ? {}
      : { cause: maskValue(error.cause, depth + 1) }),
  };
}

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS)}… (${text.length - MAX_CHARACTERS} more)`;
}

/**
 * Escapes control and bidi characters, so that input cannot forge a line, colour a terminal or make
 * text misleading (ASVS 5.0, 16.4.1).
 */
function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
      character === "\n" || character === "\t" ? character : writtenOut(character),
    );
}

function oneLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, writtenOut);
}

function writtenOut(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
