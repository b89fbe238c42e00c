/**
 * Parameter sets of a decoder configuration, each with the length before it: `avcC` (H.264) or
 * `hvcC` (HEVC), ISO/IEC 14496-15 sections 5.3.3.1 and 8.3.3.1. Before a key frame, they change the
 * decoder's configuration within a track. Null if frames have lengths of other than four bytes.
 */
export function parameterSetsOf(codec: string, record: Uint8Array): Uint8Array | null {
  const isHevc = codec === "hevc";
  if (((record[isHevc ? 21 : 4] ?? 0) & 3) !== 3) return null;
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const sets: Uint8Array[] = [];
  let position = isHevc ? 22 : 5;

  function takeSets(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const sizeBytes = view.getUint16(position);
      sets.push(record.subarray(position + 2, position + 2 + sizeBytes));
      position += 2 + sizeBytes;
    }
  }

  if (isHevc) {
    for (let left = view.getUint8(position++); left > 0; left -= 1) {
      const count = view.getUint16(position + 1);
      position += 3;
      takeSets(count);
    }
  } else {
    takeSets(view.getUint8(position++) & 31);
    takeSets(view.getUint8(position++));
  }
  return Uint8Array.from(sets.flatMap((set) => [0, 0, set.length >> 8, set.length & 0xff, ...set]));
}
