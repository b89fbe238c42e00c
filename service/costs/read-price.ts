/*
 * What a store charges for reading what it holds. Folders, and R2, whose reads are metered
 * (price-table.ts), charge nothing for bytes. For other buckets this is AWS's list price for the
 * first 10 TB a month to the internet, and for GET requests; within its region AWS charges for
 * requests only, and other providers have prices of their own.
 */

const USD_PER_GB = 0.09;
const USD_PER_MILLION_READS = 0.4;
const GIGABYTE = 1_000_000_000;
const MILLION = 1_000_000;

/** `objectStore` is the setting OBJECT_STORE. */
export function priceReading(
  objectStore: string | undefined,
  { sizeBytes, reads }: { readonly sizeBytes: number; readonly reads: number },
): number {
  const url = URL.parse(objectStore ?? "");
  const endpoint = URL.parse(url?.searchParams.get("endpoint") ?? "");
  const isFree =
    url?.protocol !== "s3:" || endpoint?.hostname.endsWith(".r2.cloudflarestorage.com") === true;
  if (isFree) return 0;
  return (sizeBytes / GIGABYTE) * USD_PER_GB + (reads / MILLION) * USD_PER_MILLION_READS;
}
