import { hash } from "node:crypto";
import type { Digests } from "#service/platform.ts";
import type { DigestAlgorithm, DigestThreads } from "./digest-threads.ts";

/**
 * Below this, handing the bytes to another thread costs more than hashing them here: about 0.05 ms
 * either way.
 */
const WORTH_A_THREAD_BYTES = 64 * 1024;

export function createDigests(threads: DigestThreads): Digests {
  const digest = async (algorithm: DigestAlgorithm, bytes: Uint8Array): Promise<string> =>
    bytes.byteLength < WORTH_A_THREAD_BYTES
      ? hash(algorithm, bytes)
      : threads.ofBytes(algorithm, bytes);
  return {
    sha256: (bytes) => digest("sha256", bytes),
    md5: (bytes) => digest("md5", bytes),
  };
}
