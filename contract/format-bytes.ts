const UNITS = ["Bytes", "KB", "MB", "GB", "TB"];

/**
 * A size in units of 1,024 bytes, up to TB, to three digits (docs/console.md#formats). Shared, so
 * that console, refusals and notifications format a size alike.
 */
export function formatBytes(sizeBytes: number): string {
  let value = Math.max(sizeBytes, 0);
  let unit = 0;
  // Compares the rounded value: a byte short of a megabyte is 1 MB, not 1024 KB.
  while (Math.round(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${Number(value.toFixed(digits))} ${UNITS[unit]}`;
}
