import type { Digests } from "#service/ports/digests.ts";
import type { ByteWorker } from "./byte-worker.ts";

export function createDigests(byteWorker: ByteWorker): Digests {
  return {
    prefersShared: true,
    sha256: (bytes) => byteWorker.ofBytes("sha256", bytes),
    md5: (bytes) => byteWorker.ofBytes("md5", bytes),
  };
}
