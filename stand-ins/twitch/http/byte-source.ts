/**
 * Bytes that can be read at any offset without being in memory: a synthetic segment of a gigabyte
 * needs no more than the pseudo-random block it is cut from.
 */
export type ByteSource = {
  readonly sizeBytes: number;
  /** Views, not copies, of the bytes [fromByte, toByte); the caller must not modify them. */
  slices(fromByte: number, toByte: number): Iterable<Uint8Array>;
};

export function bytesOf(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.byteLength,
    *slices(fromByte, toByte) {
      if (fromByte < toByte) yield bytes.subarray(fromByte, toByte);
    },
  };
}

export function bytesOfText(text: string): ByteSource {
  return bytesOf(Buffer.from(text, "utf8"));
}

export function joinSources(parts: readonly ByteSource[]): ByteSource {
  return {
    sizeBytes: parts.reduce((sum, part) => sum + part.sizeBytes, 0),
    *slices(fromByte, toByte) {
      let start = 0;
      for (const part of parts) {
        const end = start + part.sizeBytes;
        if (end > fromByte && start < toByte)
          yield* part.slices(Math.max(0, fromByte - start), Math.min(end, toByte) - start);
        start = end;
      }
    },
  };
}

export function sliceSource(source: ByteSource, fromByte: number, toByte: number): ByteSource {
  const start = Math.max(0, Math.min(fromByte, source.sizeBytes));
  const end = Math.max(start, Math.min(toByte, source.sizeBytes));
  return {
    sizeBytes: end - start,
    slices: (from, to) => source.slices(start + from, start + to),
  };
}

/** The source in one piece; only for small ones (playlists, JSON, init segments). */
export function readAll(source: ByteSource): Buffer {
  return Buffer.concat([...source.slices(0, source.sizeBytes)]);
}
