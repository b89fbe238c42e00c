import { createHash } from "node:crypto";
import type { Database, Row, SqlValue } from "#service/ports/database.ts";
import type { D1Api } from "./d1-api.ts";
import type { Table } from "./table-list.ts";
import { statementsOf } from "./table-statements.ts";

/**
 * Makes a table at Cloudflare equal to the local one, page by page in key order: reads the remote
 * page and, if it differs, writes it and reads it again. No progress is stored: after a stop, pages
 * already copied are found equal and skipped.
 */

export type CopiedTable = {
  readonly name: string;
  readonly rows: number;
  /** SHA-256 of all rows as read at Cloudflare, where each page equals the local one. */
  readonly digest: string;
  readonly pagesWritten: number;
};

/** D1 aborts a statement after 30 s; with full-text indexes a thousand uploads take about one. */
const PAGE_ROWS = 1_000;

/** Half of the 2 MB limit for a bound value. */
const PAGE_BYTES = 1_000_000;

export async function copyTable(
  source: Database,
  target: D1Api,
  table: Table,
  onRows: (rows: number) => void,
): Promise<CopiedTable> {
  const statements = statementsOf(table);
  const digest = createHash("sha256");
  let rows = 0;
  let pagesWritten = 0;
  let after: string | null = null;
  for (;;) {
    const available = await source.all(statements.page(after, PAGE_ROWS));
    const page = cutPage(available, table.columns);
    const isLast = page.length === available.length && available.length < PAGE_ROWS;
    const until = isLast ? null : keyOf(available[page.length - 1] ?? {}, table);
    const range = { after, until };
    const wanted = toText(page);
    const [before = []] = await target.query([statements.read(range)]);
    let found = toText(valuesOf(before, table.columns));
    if (found !== wanted) {
      const [, , written = []] = await target.query([
        statements.removeOthers(range, wanted),
        statements.write(wanted),
        statements.read(range),
      ]);
      pagesWritten += 1;
      found = toText(valuesOf(written, table.columns));
      if (found !== wanted)
        throw new Error(`Rows of ${table.name} differ at Cloudflare after they were written.`);
    }
    digest.update(found);
    rows += page.length;
    onRows(rows);
    if (until === null)
      return { name: table.name, rows, digest: digest.digest("hex"), pagesWritten };
    after = until;
  }
}

type Values = readonly SqlValue[];

function valuesOf(rows: readonly Row[], columns: readonly string[]): readonly Values[] {
  return rows.map((row) => columns.map((column) => row[column] ?? null));
}

/** As many rows as fit into one bound value, at least one. */
function cutPage(rows: readonly Row[], columns: readonly string[]): readonly Values[] {
  let bytes = 0;
  const values = valuesOf(rows, columns);
  const end = values.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row));
    return bytes > PAGE_BYTES && index > 0;
  });
  return end === -1 ? values : values.slice(0, end);
}

function keyOf(row: Row, { key }: Table): string {
  return JSON.stringify(key.map((column) => row[column] ?? null));
}

function toText(rows: readonly Values[]): string {
  return JSON.stringify(rows, (_name, value: unknown) => {
    if (value instanceof Uint8Array) throw new Error("Columns of bytes cannot be moved.");
    return value;
  });
}
