/** The smallest part that is not the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/** Bytes of part `partNumber` of object `number`: different for each, the same each time. */
export function partBytes(number: number, partNumber: number, sizeBytes: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(sizeBytes / 4));
  const seed = number * 31 + partNumber;
  for (let index = 0; index < words.length; index++)
    words[index] = Math.imul(index + seed, 2_654_435_761);
  return new Uint8Array(words.buffer, 0, sizeBytes);
}
