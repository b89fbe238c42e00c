import { randomBytes } from "node:crypto";

/** The source of codes, tokens and secrets. */
export type RandomSource = {
  bytes(count: number): Uint8Array;
  /** Lower-case letters and digits, like Twitch's tokens. */
  word(length: number): string;
};

const letters = "0123456789abcdefghijklmnopqrstuvwxyz";

export function createRandomSource(): RandomSource {
  return {
    bytes: randomBytes,
    word: (length) =>
      Array.from(randomBytes(length), (byte) => letters.charAt(byte % letters.length)).join(""),
  };
}
