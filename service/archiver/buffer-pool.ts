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

/** Adds up what the pools of one run hold, in use and kept for later. */
export type BufferAccount = {
  changeBy(bytes: number): void;
  /** The most at any time. */
  peakBytes(): number;
};

export function createBufferAccount(): BufferAccount {
  let heldBytes = 0;
  let peakBytes = 0;
  return {
    changeBy(bytes) {
      heldBytes += bytes;
      peakBytes = Math.max(peakBytes, heldBytes);
    },
    peakBytes: () => peakBytes,
  };
}

/** Sizes are rounded up to this, so that segments of about one length share buffers. */
const GRAIN_BYTES = 1024 * 1024;

/**
 * No more than `boundBytes` are kept for later, and less while as much is in use that a fresh
 * buffer would exceed it: what is beyond is left to the collector. `isShared` asks for memory that
 * other threads can hash in place; V8 does not count it towards what its collector looks after.
 */
export function createBufferPool(
  boundBytes: () => number,
  { isShared = false, account = createBufferAccount() } = {},
): BufferPool {
  const allocate = isShared
    ? (sizeBytes: number) => new Uint8Array(new SharedArrayBuffer(sizeBytes))
    : (sizeBytes: number) => new Uint8Array(sizeBytes);
  const unused: Uint8Array[] = [];
  let unusedBytes = 0;
  let usedBytes = 0;

  function keepUnused(mostBytes: number): void {
    while (unused.length > 0 && unusedBytes > mostBytes) drop(unused.shift()?.byteLength ?? 0);
  }

  function drop(sizeBytes: number): void {
    unusedBytes -= sizeBytes;
    account.changeBy(-sizeBytes);
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
      keepUnused(boundBytes() - usedBytes);
      account.changeBy(roundedBytes);
      return allocate(roundedBytes);
    },
    give(buffer) {
      usedBytes -= buffer.byteLength;
      unused.push(buffer);
      unusedBytes += buffer.byteLength;
      keepUnused(boundBytes());
    },
  };
}
