/** The minimum size of all parts but the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/** The bytes of part `partNumber` of object `number`: deterministic, and different for each. */
export function partBytes(number: number, partNumber: number, sizeBytes: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(sizeBytes / 4));
  const seed = number * 31 + partNumber;
  for (let index = 0; index < words.length; index++)
    words[index] = Math.imul(index + seed, 2_654_435_761);
  return new Uint8Array(words.buffer, 0, sizeBytes);
}
