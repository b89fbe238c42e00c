/**
 * The metered quantities. A *flow* adds up over a day; a *level* is the day's maximum, because
 * storage is billed by the average of its daily peaks (developers.cloudflare.com/r2/pricing).
 */
export const FLOWS = [
  "workerRequests",
  "workerCpuMs",
  "durableObjectRequests",
  "classAOperations",
  "classBOperations",
  "egressBytes",
  "rowsRead",
  "rowsWritten",
  "kvReads",
  "kvWrites",
  "kvDeletes",
  "kvLists",
  "queueOperations",
] as const;

export const LEVELS = ["storedBytesPeak", "databaseBytesPeak"] as const;

export const METERS = [...FLOWS, ...LEVELS] as const;

export type Flow = (typeof FLOWS)[number];
export type Level = (typeof LEVELS)[number];
export type Meter = (typeof METERS)[number];

export type Usage = Readonly<Record<Meter, number>>;

/** A UTC day, e.g. `2026-11-20`, and its usage. */
export type UsageDay = { readonly day: string; readonly usage: Usage };

export const NO_USAGE: Usage = {
  workerRequests: 0,
  workerCpuMs: 0,
  durableObjectRequests: 0,
  classAOperations: 0,
  classBOperations: 0,
  egressBytes: 0,
  storedBytesPeak: 0,
  rowsRead: 0,
  rowsWritten: 0,
  databaseBytesPeak: 0,
  kvReads: 0,
  kvWrites: 0,
  kvDeletes: 0,
  kvLists: 0,
  queueOperations: 0,
};

/** Adds every meter; levels become the sum of daily peaks, from which a month is billed. */
export function sumUsage(one: Usage, other: Usage): Usage {
  return mapUsage((meter) => one[meter] + other[meter]);
}

export function mapUsage(value: (meter: Meter) => number): Usage {
  const usage: Record<Meter, number> = { ...NO_USAGE };
  for (const meter of METERS) usage[meter] = value(meter);
  return usage;
}

export function isLevel(meter: Meter): meter is Level {
  return (LEVELS as readonly Meter[]).includes(meter);
}
