import { toHex } from "#service/secrets/hex.ts";
import type { Digests } from "#service/ports/digests.ts";

/** The runtime hashes in native code; it supports MD5 in addition to the standard algorithms. */
export const webDigests: Digests = {
  sha256: (bytes) => digest("SHA-256", bytes),
  md5: (bytes) => digest("MD5", bytes),
};

async function digest(algorithm: "SHA-256" | "MD5", bytes: Uint8Array): Promise<string> {
  const result = new Uint8Array(await crypto.subtle.digest(algorithm, bytes));
  return toHex(result);
}
