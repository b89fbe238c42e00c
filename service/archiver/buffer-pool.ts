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
const GRAIN_BYTES = 512 * 1024;

/**
 * `keepBytes` bounds what is kept unused; buffers beyond are left to the collector. `isShared`
 * asks for memory that other threads can hash in place, where the runtime has threads.
 */
export function createBufferPool(keepBytes: () => number, isShared = false): BufferPool {
  const allocate =
    isShared && typeof SharedArrayBuffer !== "undefined"
      ? (sizeBytes: number) => new Uint8Array(new SharedArrayBuffer(sizeBytes))
      : (sizeBytes: number) => new Uint8Array(sizeBytes);
  const unused: Uint8Array[] = [];
  let unusedBytes = 0;
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
      if (found === undefined)
        return allocate(Math.max(1, Math.ceil(sizeBytes / GRAIN_BYTES)) * GRAIN_BYTES);
      unusedBytes -= found.byteLength;
      return found;
    },
    give(buffer) {
      unused.push(buffer);
      unusedBytes += buffer.byteLength;
      while (unusedBytes > keepBytes()) unusedBytes -= unused.shift()?.byteLength ?? 0;
    },
  };
}
