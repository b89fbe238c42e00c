import { roundUsd } from "./cost-lines.ts";
import { GIGABYTE, TARIFFS } from "./price-table.ts";

/** Class A operations besides the parts: begin, finish, playlist, manifest, chat and two pictures. */
const CLASS_A_BESIDE_PARTS = 7;

/** Assumed until an upload has chosen its part size: the smallest, which costs the most. */
const SMALLEST_PART_BYTES = 8 * 1024 * 1024;

export type ArchiveCost = {
  /** One-off: the class A operations of the copy. */
  readonly copyUsd: number;
  readonly storageUsdPerMonth: number;
};

/**
 * The list price of one archive. The month's allowances are shared by all archives, so this is the
 * cost of one more archive once they are used up.
 */
export function archiveCost(sizeBytes: number, partSizeBytes: number | null): ArchiveCost {
  const parts = Math.ceil(sizeBytes / (partSizeBytes ?? SMALLEST_PART_BYTES));
  const { unit, usdPerUnit } = TARIFFS.classAOperations;
  return {
    copyUsd: roundUsd(((parts + CLASS_A_BESIDE_PARTS) / unit) * usdPerUnit),
    storageUsdPerMonth: roundUsd((sizeBytes / GIGABYTE) * TARIFFS.storedBytesPeak.usdPerUnit),
  };
}

/**
 * An upload's cost as the console shows it: one copy of the stored bytes plus a month of storage.
 */
export function uploadCostUsd(storedBytes: number, partSizeBytes: number | null): number {
  if (storedBytes === 0) return 0;
  const cost = archiveCost(storedBytes, partSizeBytes);
  return roundUsd(cost.copyUsd + cost.storageUsdPerMonth);
}
