/**
 * Reuses memory for segments and parts. The runtime would zero each new buffer, and free it late,
 * because garbage collection is triggered by the size of small objects only.
 */
export type BufferPool = {
  /** Returns a buffer of at least `sizeBytes`, with contents left over from earlier use. */
  take(sizeBytes: number): Uint8Array;
  /** Nothing may touch `buffer` afterwards. */
  give(buffer: Uint8Array): void;
};

/** Counts the bytes that the pools of one run hold, both in use and unused. */
export type BufferAccount = {
  changeBy(bytes: number): void;
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

/** Sizes are rounded up to this, so that segments of similar length share buffers. */
const GRAIN_BYTES = 1024 * 1024;

declare const WebAssembly: {
  readonly Memory: new (pages: { initial: number; maximum: number; shared: true }) => {
    readonly buffer: SharedArrayBuffer;
  };
};
const WEB_ASSEMBLY_PAGE_BYTES = 64 * 1024;

/** This memory begins at a page, as direct writes require; that of `SharedArrayBuffer` does not. */
function allocateShared(sizeBytes: number): Uint8Array {
  const pages = sizeBytes / WEB_ASSEMBLY_PAGE_BYTES;
  return new Uint8Array(
    new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer,
  );
}

/**
 * At most `boundBytes` of unused buffers are kept, and fewer if a new buffer would otherwise exceed
 * it; the rest is left to the garbage collector. `isShared` allocates memory that other threads can
 * hash and write in place; V8 does not count it as external memory of its heap.
 */
export function createBufferPool(
  boundBytes: () => number,
  { isShared = false, account = createBufferAccount() } = {},
): BufferPool {
  const allocate = isShared ? allocateShared : (sizeBytes: number) => new Uint8Array(sizeBytes);
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
