/**
 * Reused memory for segments and parts. Fresh buffers of these sizes would be zeroed by the
 * runtime and outlive their use until a garbage collection that counts only small objects.
 */
export type BufferPool = {
  /** At least `sizeBytes` long; contents are left over from earlier use. */
  take(sizeBytes: number): Uint8Array;
  /** Nothing may touch `buffer` afterwards. */
  give(buffer: Uint8Array): void;
};

/** Sizes are rounded up to this, so that segments of about one length share buffers. */
const GRAIN_BYTES = 1024 * 1024;

/**
 * `boundBytes` is for buffers in use and those kept for later together: what is beyond is left to
 * the collector. `isShared` asks for memory that other threads can hash in place, where the runtime
 * has threads.
 */
export function createBufferPool(boundBytes: () => number, isShared = false): BufferPool {
  const allocate =
    isShared && typeof SharedArrayBuffer !== "undefined"
      ? (sizeBytes: number) => new Uint8Array(new SharedArrayBuffer(sizeBytes))
      : (sizeBytes: number) => new Uint8Array(sizeBytes);
  const unused: Uint8Array[] = [];
  let unusedBytes = 0;
  let usedBytes = 0;

  function trim(): void {
    while (unused.length > 0 && usedBytes + unusedBytes > boundBytes())
      unusedBytes -= unused.shift()?.byteLength ?? 0;
  }

  return {
    take(sizeBytes) {
      let best = -1;
      unused.forEach((buffer, index) => {
        const chosen = unused[best];
        if (
          buffer.byteLength >= sizeBytes &&
          (chosen === undefined || buffer.byteLength < chosen.byteLength)
        )
          best = index;
      });
      const [found] = best < 0 ? [] : unused.splice(best, 1);
      if (found !== undefined) {
        unusedBytes -= found.byteLength;
        usedBytes += found.byteLength;
        return found;
      }
      const roundedBytes = Math.max(1, Math.ceil(sizeBytes / GRAIN_BYTES)) * GRAIN_BYTES;
      usedBytes += roundedBytes;
      trim();
      return allocate(roundedBytes);
    },
    give(buffer) {
      usedBytes -= buffer.byteLength;
      unused.push(buffer);
      unusedBytes += buffer.byteLength;
      trim();
    },
  };
}
