import type { Digests } from "#service/ports/digests.ts";
import type { ByteThreads } from "./byte-threads.ts";

export function createDigests(threads: ByteThreads): Digests {
  return {
    prefersShared: true,
    sha256: (bytes) => threads.ofBytes("sha256", bytes),
    md5: (bytes) => threads.ofBytes("md5", bytes),
  };
}
