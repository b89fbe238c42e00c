import * as z from "zod/mini";
import {
  type AuditExportFormat,
  type exportAudit,
  type SealedEntry,
  sealedEntrySchema,
} from "#contract/audit.ts";
import type { QueryOf } from "#contract/call.ts";
import { MAX_AUDIT_EXPORT } from "#contract/limits.ts";
import { instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { type AuditChain, ORIGIN_SEAL, SEALED_COLUMNS } from "./audit-chain.ts";
import { findAuditPage } from "./audit-list.ts";

/** Entries per read and write: few queries, little memory. */
const ENTRIES_PER_READ = 500;

/**
 * The newest matching entries, newest first, each with the proof that it is unchanged. The set of
 * entries is fixed before the first byte; their text is then read with backpressure.
 */
export async function openAuditExport(
  database: Database,
  chain: Pick<AuditChain, "seal">,
  { format, before, ...filters }: QueryOf<typeof exportAudit>,
): Promise<ReadableStream<Uint8Array>> {
  await chain.seal();
  const newest = { ...filters, page: 1, limit: MAX_AUDIT_EXPORT };
  const { rows } = await findAuditPage(
    database,
    before === undefined ? newest : { ...newest, before: Number(before) },
  );
  const found = await database.all(
    sql`SELECT seq FROM audit WHERE seq IN (${rows}) ORDER BY seq DESC`,
  );
  const seqs = found.map((row) => Number(row.seq));
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    start(controller) {
      if (format === "csv") controller.enqueue(encoder.encode(csvHeader()));
    },
    async pull(controller) {
      const batch = seqs.slice(next, next + ENTRIES_PER_READ);
      next += batch.length;
      if (batch.length === 0) return controller.close();
      const entries = await readSealed(database, batch);
      controller.enqueue(encoder.encode(entries.map((entry) => lineOf(format, entry)).join("")));
    },
  });
}

function lineOf(format: AuditExportFormat, entry: SealedEntry): string {
  return format === "csv" ? csvLine(entry) : `${JSON.stringify(entry)}\n`;
}

async function readSealed(database: Database, seqs: readonly number[]): Promise<SealedEntry[]> {
  const previousSeal = sql`SELECT seal FROM audit p WHERE p.seq < a.seq ORDER BY p.seq DESC LIMIT 1`;
  const checkpoint = sql`SELECT hash FROM audit_marks WHERE name = 'checkpoint'`;
  const rows = await database.all(sql`
    SELECT ${SEALED_COLUMNS}, coalesce((${previousSeal}), (${checkpoint}), ${ORIGIN_SEAL}) AS previousSeal,
      a.seal, a.at AS time, u.login AS actorLogin
    FROM audit a LEFT JOIN users u ON u.id = a.actor_id
    WHERE a.seal IS NOT NULL
      AND a.seq IN (SELECT value FROM json_each(${JSON.stringify(seqs)})) ORDER BY a.seq DESC`);
  return rows.map((row) => sealedRow.parse(row));
}

/** A seal that was tampered with is exported as it is. */
const sealedRow = z.extend(sealedEntrySchema, {
  previousSeal: z.string(),
  seal: z.string(),
  time: instantColumn,
});

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
function csvHeader(): string {
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
