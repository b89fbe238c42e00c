import { randomBytes } from "node:crypto";

const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Lower-case letters and digits, like Twitch's tokens. */
export function randomWord(length: number): string {
  return Array.from(randomBytes(length), (byte) => LETTERS.charAt(byte % LETTERS.length)).join("");
}
