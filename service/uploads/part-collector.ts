/**
 * Puts a body's bytes together to parts of one size, after bytes that earlier requests left.
 * Pure bookkeeping: holds the new bytes of one part and nothing else.
 */
export type PartCollector = {
  /** Resolves once the bytes are copied out, and every part they filled was taken. */
  add(bytes: Uint8Array): Promise<void>;
  /** New bytes that do not fill a part yet. */
  readonly rest: Uint8Array;
};

export function createPartCollector(options: {
  readonly partSizeBytes: number;
  /** Of the whole upload: its last part is full earlier. */
  readonly length: number;
  readonly firstPartNumber: number;
  /** Bytes of the first part that are stored already. */
  readonly bytesBefore: number;
  /** How many bytes can come: memory for more is not taken. */
  readonly mostBytes: number;
  /** Takes the buffer over. `bytesBefore` of the part come before these bytes. */
  readonly emit: (partNumber: number, bytes: Uint8Array, bytesBefore: number) => Promise<void>;
}): PartCollector {
  const { partSizeBytes, length, mostBytes } = options;
  let partNumber = options.firstPartNumber;
  let bytesBefore = options.bytesBefore;
  let room = roomOf();
  let buffer = new Uint8Array(Math.min(room, mostBytes));
  let filled = 0;

  function roomOf(): number {
    const partStart = (partNumber - 1) * partSizeBytes;
    return Math.min(partSizeBytes, length - partStart) - bytesBefore;
  }

  return {
    async add(bytes) {
      let rest = bytes;
      while (rest.byteLength > 0) {
        const count = Math.min(room - filled, rest.byteLength);
        buffer.set(rest.subarray(0, count), filled);
        filled += count;
        rest = rest.subarray(count);
        if (filled < room) continue;
        const full = buffer.subarray(0, filled);
        const before = bytesBefore;
        const number = partNumber;
        partNumber += 1;
        bytesBefore = 0;
        filled = 0;
        room = roomOf();
        buffer = new Uint8Array(Math.max(0, Math.min(room, mostBytes)));
        await options.emit(number, full, before);
      }
    },
    get rest() {
      return buffer.subarray(0, filled);
    },
  };
}
