const UNITS = ["Bytes", "KB", "MB", "GB", "TB"] as const;

/** Sizes in units of 1,024, up to TB (docs/console.md#formats). */
export function formatSize(bytes: number): string {
  const exponent = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** exponent;
  return `${Number(value.toFixed(2))} ${UNITS[exponent]}`;
}
