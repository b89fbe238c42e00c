import type { Settings } from "#service/settings.ts";

/** Sizes use 1024 units (docs/console.md#formats), as does the capacity. */
const BYTES_PER_GB = 1024 ** 3;

export type StorageUse = {
  readonly usedBytes: number;
  readonly usedGB: number;
  /** Percentage of STORAGE_CAPACITY_GB; above 100 when it is exceeded. */
  readonly percentage: number;
};

export function storageUse(
  usedBytes: number,
  { STORAGE_CAPACITY_GB }: Pick<Settings, "STORAGE_CAPACITY_GB">,
): StorageUse {
  const usedGB = usedBytes / BYTES_PER_GB;
  return { usedBytes, usedGB, percentage: (usedGB / STORAGE_CAPACITY_GB) * 100 };
}
