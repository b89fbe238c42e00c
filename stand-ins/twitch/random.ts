import { randomBytes } from "node:crypto";

/** The source of codes, tokens and secrets: the system, or a seed for reproducible runs. */
export type RandomSource = {
  bytes(count: number): Uint8Array;
  /** Lower-case letters and digits, like Twitch's tokens. */
  word(length: number): string;
};

const letters = "0123456789abcdefghijklmnopqrstuvwxyz";

export function createRandomSource(seed?: number): RandomSource {
  const bytes = seed === undefined ? (count: number) => randomBytes(count) : seededBytes(seed);
  return {
    bytes,
    word: (length) =>
      Array.from(bytes(length), (byte) => letters.charAt(byte % letters.length)).join(""),
  };
}

/** mulberry32: small, and sufficient for values that need not be secret. */
function seededBytes(seed: number): (count: number) => Uint8Array {
  let state = seed >>> 0;
  return (count) =>
    Uint8Array.from({ length: count }, () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 8) & 0xff;
    });
}
