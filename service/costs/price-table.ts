/**
 * Cloudflare's list prices for the Workers Paid plan, with its monthly allowances.
 *
 * Sources in Cloudflare's documentation: Workers and Queues pricing, D1 pricing, Durable Objects
 * pricing, R2 pricing, KV pricing. Update the date with every price change.
 */
export const PRICES_AS_OF = "2026-11-20";

export type Tariff = {
  /** Amount of the meter in one billed unit. */
  readonly unit: number;
  readonly usdPerUnit: number;
  /** In units. */
  readonly includedUnits: number;
  /** R2 bills whole units: the month's usage is rounded up to the next one. */
  readonly roundsUp: boolean;
};

const MILLION = 1_000_000;

/** Storage is billed in decimal gigabytes, as GB-months. */
export const GIGABYTE = 1_000_000_000;

/** The Workers Paid plan, a fixed fee that includes all allowances below. */
export const PLAN_USD_PER_MONTH = 5;

function metered(unit: number, usdPerUnit: number, includedUnits: number): Tariff {
  return { unit, usdPerUnit, includedUnits, roundsUp: false };
}

function wholeUnits(unit: number, usdPerUnit: number, includedUnits: number): Tariff {
  return { unit, usdPerUnit, includedUnits, roundsUp: true };
}

export const TARIFFS = {
  workerRequests: metered(MILLION, 0.3, 10),
  workerCpuMs: metered(MILLION, 0.02, 30),
  /** Requests only: objects that hibernate between events stay inside the duration allowance. */
  durableObjectRequests: metered(MILLION, 0.15, 1),
  storedGbMonths: wholeUnits(1, 0.015, 10),
  classAOperations: wholeUnits(MILLION, 4.5, 1),
  classBOperations: wholeUnits(MILLION, 0.36, 10),
  egressGigabytes: metered(1, 0, 0),
  rowsRead: metered(MILLION, 0.001, 25_000),
  rowsWritten: metered(MILLION, 1, 50),
  databaseGbMonths: metered(1, 0.75, 5),
  kvReads: metered(MILLION, 0.5, 10),
  kvWrites: metered(MILLION, 5, 1),
  kvDeletes: metered(MILLION, 5, 1),
  kvLists: metered(MILLION, 5, 1),
  /** A message is three operations: written, read, deleted. */
  queueOperations: metered(MILLION, 0.4, 1),
} as const satisfies Record<string, Tariff>;
