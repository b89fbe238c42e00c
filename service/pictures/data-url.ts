import type { PictureType } from "#contract/pictures.ts";

/** Bytes converted at a time: arguments of one call are limited in number. */
const AT_A_TIME = 8_190;

/** A `data:` URL in base64 (RFC 2397). */
export function toDataUrl(picture: {
  readonly type: PictureType;
  readonly bytes: Uint8Array;
}): string {
  const { type, bytes } = picture;
  // Pieces of a multiple of three bytes need no padding, so that their base64 can be joined.
  const pieces: string[] = [];
  for (let from = 0; from < bytes.byteLength; from += AT_A_TIME)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + AT_A_TIME))));
  return `data:${type};base64,${pieces.join("")}`;
}
