/** Maximum size of one call of getRandomValues (w3.org/TR/webcrypto). */
const MOST_AT_ONCE = 65_536;

export function randomBytes(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeBytes);
  for (let from = 0; from < sizeBytes; from += MOST_AT_ONCE)
    crypto.getRandomValues(bytes.subarray(from, from + MOST_AT_ONCE));
  return bytes;
}
