import type { CostLine } from "./cost-lines.ts";
import type { Meter } from "./usage.ts";

/**
 * Cloudflare's list prices for the Workers Paid plan, with its monthly allowances.
 *
 * Sources in Cloudflare's documentation: Workers and Queues pricing, D1 pricing, Durable Objects
 * pricing, R2 pricing, KV pricing. Update the date with every price change.
 */
export const PRICES_AS_OF = "2026-11-20";

export type Price = {
  /** Shown units in one billed unit. */
  readonly unit: number;
  readonly usdPerUnit: number;
  /** In billed units. */
  readonly includedUnits: number;
  /** R2 bills whole units: the month's usage is rounded up to the next one. */
  readonly roundsUp?: boolean;
};

type Tariff = Price & {
  readonly line: CostLine;
  readonly name: string;
  /** The unit that is shown, and how much of the meter it is. */
  readonly shownAs: string;
  readonly shownPer: number;
};

const MILLION = 1_000_000;

/** Storage is billed in decimal gigabytes, as GB-months. */
export const GIGABYTE = 1_000_000_000;

/** The Workers Paid plan, a fixed fee that includes all allowances below. */
export const PLAN_USD_PER_MONTH = 5;

function millions(usdPerUnit: number, includedUnits: number, shownAs = "operations") {
  return { unit: MILLION, usdPerUnit, includedUnits, shownAs, shownPer: 1 };
}

function gigabytes(usdPerUnit: number, includedUnits: number, shownAs = "GB-months") {
  return { unit: 1, usdPerUnit, includedUnits, shownAs, shownPer: GIGABYTE };
}

export const TARIFFS: Readonly<Record<Meter, Tariff>> = {
  workerRequests: { line: "workers", name: "Requests", ...millions(0.3, 10, "requests") },
  workerCpuMs: { line: "workers", name: "CPU time", ...millions(0.02, 30, "ms") },
  /** Requests only: objects that hibernate between events stay inside the duration allowance. */
  durableObjectRequests: {
    line: "workers",
    name: "Live hub requests",
    ...millions(0.15, 1, "requests"),
  },
  storedBytesPeak: { line: "r2Storage", name: "Storage", ...gigabytes(0.015, 10), roundsUp: true },
  classAOperations: {
    line: "r2Operations",
    name: "Class A operations",
    ...millions(4.5, 1),
    roundsUp: true,
  },
  classBOperations: {
    line: "r2Operations",
    name: "Class B operations",
    ...millions(0.36, 10),
    roundsUp: true,
  },
  egressBytes: { line: "r2Transfer", name: "Downloads", ...gigabytes(0, 0, "GB") },
  rowsRead: { line: "d1Operations", name: "Rows read", ...millions(0.001, 25_000, "rows") },
  rowsWritten: { line: "d1Operations", name: "Rows written", ...millions(1, 50, "rows") },
  databaseBytesPeak: { line: "d1Database", name: "Storage", ...gigabytes(0.75, 5) },
  kvReads: { line: "kvOperations", name: "Reads", ...millions(0.5, 10) },
  kvWrites: { line: "kvOperations", name: "Writes", ...millions(5, 1) },
  kvDeletes: { line: "kvOperations", name: "Deletes", ...millions(5, 1) },
  kvLists: { line: "kvOperations", name: "Lists", ...millions(5, 1) },
  /** A message is three operations: written, read, deleted. */
  queueOperations: { line: "queueOperations", name: "Operations", ...millions(0.4, 1) },
};
