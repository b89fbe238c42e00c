import { roundUsd } from "./price-usage.ts";
import { GIGABYTE, TARIFFS } from "./price-table.ts";

/** Beside its parts an archive writes: begin, finish, playlist, manifest and chat. */
const CLASS_A_BESIDE_PARTS = 5;

/** Assumed while an upload has not chosen its part size yet: the smallest, so the dearest. */
const SMALLEST_PART_BYTES = 8 * 1024 * 1024;

export type ArchiveCost = {
  /** Once: the class A operations that copy it. */
  readonly copyUsd: number;
  readonly storageUsdPerMonth: number;
};

/**
 * What one archive costs at list price. The month's allowances belong to all archives together and
 * cannot be told apart, so this is what one more archive costs when they are used up.
 */
export function archiveCost(sizeBytes: number, partSizeBytes: number | null): ArchiveCost {
  const parts = Math.ceil(sizeBytes / (partSizeBytes ?? SMALLEST_PART_BYTES));
  const { unit, usdPerUnit } = TARIFFS.classAOperations;
  return {
    copyUsd: roundUsd(((parts + CLASS_A_BESIDE_PARTS) / unit) * usdPerUnit),
    storageUsdPerMonth: roundUsd((sizeBytes / GIGABYTE) * TARIFFS.storedGbMonths.usdPerUnit),
  };
}

/** An upload's cost as the console shows it: what it has stored, copied once and kept a month. */
export function uploadCostUsd(storedBytes: number, partSizeBytes: number | null): number {
  if (storedBytes === 0) return 0;
  const cost = archiveCost(storedBytes, partSizeBytes);
  return roundUsd(cost.copyUsd + cost.storageUsdPerMonth);
}
