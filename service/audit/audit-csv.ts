import type { SealedEntry } from "#contract/audit.ts";

const COLUMNS = [
  "seq",
  "time",
  "actorId",
  "actorLogin",
  "action",
  "target",
  "result",
  "reason",
  "before",
  "after",
  "requestId",
  "previousSeal",
  "seal",
  "token",
] as const satisfies readonly (keyof SealedEntry)[];

/** Begins with the byte order mark without which Excel reads UTF-8 as another encoding. */
export function csvHeader(): string {
  return `\uFEFF${COLUMNS.join(",")}\r\n`;
}

/** A record of RFC 4180; null is an empty field. */
export function csvLine(entry: SealedEntry): string {
  return `${COLUMNS.map((column) => field(entry[column])).join(",")}\r\n`;
}

/**
 * Puts an apostrophe before text that a spreadsheet would read as a formula, as OWASP advises
 * against CSV injection, full-width signs included. Names and reasons are user input.
 */
function field(value: string | number | null): string {
  if (value === null) return "";
  const text =
    typeof value === "string" && /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r]/.test(value)
      ? `'${value}`
      : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
