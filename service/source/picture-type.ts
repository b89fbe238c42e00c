import type { PictureType } from "#contract/pictures.ts";

/** Hexadecimal beginnings; a dot matches any digit: a RIFF header has a length before "WEBP". */
const BEGINNINGS: readonly (readonly [PictureType, RegExp])[] = [
  ["image/jpeg", /^ffd8ff/],
  ["image/png", /^89504e470d0a1a0a/],
  ["image/webp", /^52494646.{8}57454250/],
];

/** The type of a picture by its first bytes; null for anything else, such as SVG or HTML. */
export function pictureTypeOf(bytes: Uint8Array): PictureType | null {
  const beginning = Array.from(bytes.subarray(0, 12), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  return BEGINNINGS.find(([, pattern]) => pattern.test(beginning))?.[0] ?? null;
}
