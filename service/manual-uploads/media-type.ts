/** Enough for three packets of a transport stream. */
export const SNIFFED_BYTES = 512;

/** Type of everything that is not known to be a video: stored, and served only as a download. */
export const UNKNOWN_TYPE = "application/octet-stream";

/** Brands of MP4 files with video (mp4ra.org); images use the same box with other brands. */
const MP4_BRANDS: ReadonlySet<string> = new Set([
  "isom",
  "iso2",
  "iso4",
  "iso5",
  "iso6",
  "mp41",
  "mp42",
  "avc1",
  "dash",
  "msdh",
  "MSNV",
  "M4V ",
  "M4VH",
  "M4VP",
]);

const TS_PACKET_BYTES = 188;
const TS_SYNC = 0x47;

/**
 * Determines the media type from a file's first bytes, never from its name or the client's headers
 * (docs/security.md#stored-files), because only known video types may be played.
 */
export function sniffMediaType(start: Uint8Array): string {
  if (ascii(start, 4, 8) === "ftyp") return typeOfBrand(ascii(start, 8, 12));
  if ([0x1a, 0x45, 0xdf, 0xa3].every((byte, index) => start[index] === byte))
    return typeOfDoctype(start);
  const isTransportStream = [0, 1, 2].every((index) => start[index * TS_PACKET_BYTES] === TS_SYNC);
  return isTransportStream ? "video/mp2t" : UNKNOWN_TYPE;
}

function typeOfBrand(brand: string): string {
  if (brand === "qt  ") return "video/quicktime";
  return MP4_BRANDS.has(brand) ? "video/mp4" : UNKNOWN_TYPE;
}

/** The EBML header names its document type within its first few dozen bytes (RFC 8794). */
function typeOfDoctype(start: Uint8Array): string {
  const header = ascii(start, 0, 64);
  if (header.includes("webm")) return "video/webm";
  return header.includes("matroska") ? "video/x-matroska" : UNKNOWN_TYPE;
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
