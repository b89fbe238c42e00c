import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { mapUsage, type Meter, type Usage, type UsageDay } from "./usage.ts";

const quantity = z.nullable(z.number());

const ledgerRowSchema = z.object({
  day: z.string(),
  source: z.enum(["metered", "reconciled"]),
  worker_requests: quantity,
  worker_cpu_ms: quantity,
  durable_object_requests: quantity,
  class_a_operations: quantity,
  class_b_operations: quantity,
  egress_bytes: quantity,
  stored_bytes_peak: quantity,
  rows_read: quantity,
  rows_written: quantity,
  database_bytes_peak: quantity,
  kv_reads: quantity,
  kv_writes: quantity,
  kv_deletes: quantity,
  kv_lists: quantity,
  queue_operations: quantity,
});
type LedgerRow = z.infer<typeof ledgerRowSchema>;

const COLUMN = {
  workerRequests: "worker_requests",
  workerCpuMs: "worker_cpu_ms",
  durableObjectRequests: "durable_object_requests",
  classAOperations: "class_a_operations",
  classBOperations: "class_b_operations",
  egressBytes: "egress_bytes",
  storedBytesPeak: "stored_bytes_peak",
  rowsRead: "rows_read",
  rowsWritten: "rows_written",
  databaseBytesPeak: "database_bytes_peak",
  kvReads: "kv_reads",
  kvWrites: "kv_writes",
  kvDeletes: "kv_deletes",
  kvLists: "kv_lists",
  queueOperations: "queue_operations",
} as const satisfies Record<Meter, keyof LedgerRow>;

/** Adds flows to the day's row and raises its peaks. Safe for concurrent processes. */
export function addMeteredUsage(day: string, usage: Usage, atMs: number): Statement {
  return sql`
    INSERT INTO usage_days (day, source, worker_requests, worker_cpu_ms, durable_object_requests,
      class_a_operations, class_b_operations, egress_bytes, stored_bytes_peak, rows_read, rows_written,
      database_bytes_peak, kv_reads, kv_writes, kv_deletes, kv_lists, queue_operations, updated_at)
    VALUES (${day}, 'metered', ${usage.workerRequests}, ${usage.workerCpuMs},
      ${usage.durableObjectRequests}, ${usage.classAOperations}, ${usage.classBOperations},
      ${usage.egressBytes}, ${usage.storedBytesPeak}, ${usage.rowsRead}, ${usage.rowsWritten},
      ${usage.databaseBytesPeak}, ${usage.kvReads}, ${usage.kvWrites}, ${usage.kvDeletes},
      ${usage.kvLists}, ${usage.queueOperations}, ${atMs})
    ON CONFLICT (day, source) DO UPDATE SET
      worker_requests = worker_requests + excluded.worker_requests,
      worker_cpu_ms = worker_cpu_ms + excluded.worker_cpu_ms,
      durable_object_requests = durable_object_requests + excluded.durable_object_requests,
      class_a_operations = class_a_operations + excluded.class_a_operations,
      class_b_operations = class_b_operations + excluded.class_b_operations,
      egress_bytes = egress_bytes + excluded.egress_bytes,
      stored_bytes_peak = max(stored_bytes_peak, excluded.stored_bytes_peak),
      rows_read = rows_read + excluded.rows_read,
      rows_written = rows_written + excluded.rows_written,
      database_bytes_peak = max(database_bytes_peak, excluded.database_bytes_peak),
      kv_reads = kv_reads + excluded.kv_reads,
      kv_writes = kv_writes + excluded.kv_writes,
      kv_deletes = kv_deletes + excluded.kv_deletes,
      kv_lists = kv_lists + excluded.kv_lists,
      queue_operations = queue_operations + excluded.queue_operations,
      updated_at = max(updated_at, excluded.updated_at)`;
}

/** Stores the provider's figures for a day; meters it does not report stay null. */
export function setReconciledUsage(
  day: string,
  usage: Partial<Record<Meter, number>>,
  atMs: number,
): Statement {
  const value = (meter: Meter) => usage[meter] ?? null;
  return sql`
    INSERT OR REPLACE INTO usage_days (day, source, worker_requests, worker_cpu_ms,
      durable_object_requests, class_a_operations, class_b_operations, egress_bytes,
      stored_bytes_peak, rows_read, rows_written, database_bytes_peak, kv_reads, kv_writes,
      kv_deletes, kv_lists, queue_operations, updated_at)
    VALUES (${day}, 'reconciled', ${value("workerRequests")}, ${value("workerCpuMs")},
      ${value("durableObjectRequests")}, ${value("classAOperations")}, ${value("classBOperations")},
      ${value("egressBytes")}, ${value("storedBytesPeak")}, ${value("rowsRead")},
      ${value("rowsWritten")}, ${value("databaseBytesPeak")}, ${value("kvReads")},
      ${value("kvWrites")}, ${value("kvDeletes")}, ${value("kvLists")}, ${value("queueOperations")},
      ${atMs})`;
}

export type Ledger = {
  /** Oldest first; the provider's figure replaces our own where there is one. */
  readonly days: readonly UsageDay[];
  readonly reconciledDays: ReadonlySet<string>;
  readonly updatedAt: number | null;
};

/** The days from `firstDay` on. */
export async function readLedger(database: Database, firstDay: string): Promise<Ledger> {
  const rows = await database.all(
    sql`SELECT * FROM usage_days WHERE day >= ${firstDay} ORDER BY day, source`,
  );
  const metered = new Map<string, LedgerRow>();
  const reconciled = new Map<string, LedgerRow>();
  let updatedAt: number | null = null;
  for (const row of rows) {
    const entry = ledgerRowSchema.parse(row);
    (entry.source === "metered" ? metered : reconciled).set(entry.day, entry);
    updatedAt = Math.max(updatedAt ?? 0, readUpdatedAt(row));
  }
  const days = [...new Set([...metered.keys(), ...reconciled.keys()])].sort();
  return {
    days: days.map((day) => ({ day, usage: mergeSources(reconciled.get(day), metered.get(day)) })),
    reconciledDays: new Set(reconciled.keys()),
    updatedAt,
  };
}

/** The first metered day, or null if there is none. */
export async function firstMeteredDay(database: Database): Promise<string | null> {
  const [row] = await database.all(sql`SELECT min(day) AS day FROM usage_days`);
  return z.object({ day: z.nullable(z.string()) }).parse(row).day;
}

function mergeSources(preferred: LedgerRow | undefined, other: LedgerRow | undefined): Usage {
  return mapUsage((meter) => {
    const column = COLUMN[meter];
    return preferred?.[column] ?? other?.[column] ?? 0;
  });
}

function readUpdatedAt(row: Row): number {
  return z.object({ updated_at: z.number() }).parse(row).updated_at;
}
