import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { LogRecord } from "#service/ports/log-sink.ts";

/** A record as one line of JSON, without a line break. */
export function toJsonLine({ level, at, message, meta }: LogRecord): string {
  const text = metaText(meta);
  const head = JSON.stringify({ level, timestamp: at.toISOString(), message });
  return text === null ? head : `${head.slice(0, -1)},"meta":${text}}`;
}

/** A record as a row of the `logs` table. */
export function toLogRow({ level, at, message, meta }: LogRecord): Statement {
  return sql`INSERT INTO logs (level, at, message, meta)
    VALUES (${level}, ${at.getTime()}, ${message}, ${metaText(meta)})`;
}

/** Null without metadata; values that JSON cannot represent are reported as unreadable. */
export function metaText(meta: LogRecord["meta"]): string | null {
  if (Object.keys(meta).length === 0) return null;
  try {
    return JSON.stringify(meta);
  } catch {
    return JSON.stringify({ unreadable: true });
  }
}
