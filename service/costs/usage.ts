import * as z from "zod/mini";

/** The metered quantities, in the order in which the console lists them. */
export const METERS = [
  "workerRequests",
  "workerCpuMs",
  "durableObjectRequests",
  "storedBytesPeak",
  "classAOperations",
  "classBOperations",
  "egressBytes",
  "rowsRead",
  "rowsWritten",
  "databaseBytesPeak",
  "kvReads",
  "kvWrites",
  "kvDeletes",
  "kvLists",
  "queueOperations",
] as const;
export type Meter = (typeof METERS)[number];

/**
 * The day's maximum, because storage is billed by the average of its daily peaks
 * (developers.cloudflare.com/r2/pricing).
 */
export type Level = "storedBytesPeak" | "databaseBytesPeak";

/** Adds up over a day. */
export type Flow = Exclude<Meter, Level>;

export type Usage = Readonly<Record<Meter, number>>;

/** A UTC day, e.g. `2026-11-20`, and its usage. */
export type UsageDay = { readonly day: string; readonly usage: Usage };

export const NO_USAGE: Usage = z
  .record(z.enum(METERS), z.number())
  .parse(Object.fromEntries(METERS.map((meter) => [meter, 0])));

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
  return meter === "storedBytesPeak" || meter === "databaseBytesPeak";
}
