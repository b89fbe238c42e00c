import { createHash } from "node:crypto";
import type { MediaTrack } from "./media-track.ts";
import { PACKET_BYTES } from "./ts-template.ts";

/** Just over 1 MiB. */
const BLOCK_PACKETS = 5_578;
const BLOCK_BYTES = BLOCK_PACKETS * PACKET_BYTES;

export type SyntheticOptions = {
  readonly vodId: string;
  readonly segmentSizeBytes: number | readonly number[];
  readonly segmentDurationSec: number;
};

let sharedBlock: Buffer | null = null;

/**
 * MPEG-TS for tests of size and speed: correct at the boundaries of packets, pseudo-random inside,
 * and the same for a VOD and segment every time. All segments are cut from one block. Each stretch
 * starts at a different offset, so that segments and stretches differ, and a swapped, duplicated or
 * shifted piece changes the digest.
 */
export function syntheticTrack(options: SyntheticOptions): MediaTrack {
  const sizes = options.segmentSizeBytes;
  const sizeOf = (index: number): number =>
    (typeof sizes === "number" ? sizes : sizes[index % sizes.length]) ?? 0;
  const largestBytes = typeof sizes === "number" ? sizes : Math.max(...sizes);
  return {
    container: "ts",
    bandwidthBps: Math.ceil((largestBytes * 8) / options.segmentDurationSec),
    init: () => null,
    segment: ({ index, muted }) =>
      syntheticTs(`${options.vodId}/${index}${muted ? "/muted" : ""}`, sizeOf(index)),
  };
}

/**
 * A null packet that identifies the segment, then stretches of the block; name and number of each
 * determine where in the block it starts.
 */
function syntheticTs(name: string, wantedBytes: number): Uint8Array {
  const block = (sharedBlock ??= makeBlock());
  const packets = Math.max(1, Math.ceil(wantedBytes / PACKET_BYTES));
  const bytes = Buffer.allocUnsafe(packets * PACKET_BYTES).fill(0xff, 0, PACKET_BYTES);
  bytes.set([0x47, 0x1f, 0xff, 0x10]);
  bytes.write(`stand-in ${name}\0`, 4, "latin1");
  const seed = createHash("sha256").update(name).digest().readUInt32BE(0);
  for (let stretch = 0, at = PACKET_BYTES; at < bytes.byteLength; stretch += 1) {
    const number = (seed + Math.imul(stretch, 0x9e3779b1)) >>> 0;
    const start = (number % BLOCK_PACKETS) * PACKET_BYTES;
    at += block.copy(bytes, at, start);
    at += block.copy(bytes, at, 0, start);
  }
  return bytes;
}

/** xorshift32 noise with sync bytes. The seed is fixed: the bytes are part of the API. */
function makeBlock(): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  let state = 0x2545f491;
  for (let at = 0; at < BLOCK_BYTES; at += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    block.writeInt32LE(state | 0, at);
  }
  for (let at = 0; at < BLOCK_BYTES; at += PACKET_BYTES) block[at] = 0x47;
  return block;
}
