import type { Digests } from "#service/platform.ts";
import type { DigestThreads } from "./digest-threads.ts";

export function createDigests(threads: DigestThreads): Digests {
  return {
    sha256: (bytes) => threads.ofBytes("sha256", bytes),
    md5: (bytes) => threads.ofBytes("md5", bytes),
  };
}
