import { createHash } from "node:crypto";
import { bytesOf, joinSources, type ByteSource } from "../http/byte-source.ts";
import type { MediaTrack } from "./media-track.ts";
import { PACKET_BYTES } from "./ts-template.ts";

/** Just over 1 MiB. */
const BLOCK_PACKETS = 5_578;
const BLOCK_BYTES = BLOCK_PACKETS * PACKET_BYTES;

export type SyntheticOptions = {
  readonly vodId: string;
  readonly container: "ts" | "fmp4";
  readonly segmentSizeBytes: number | readonly number[];
  readonly segmentDurationSec: number;
};

let sharedBlock: Buffer | null = null;

/**
 * Bytes for tests of size and speed: correct at the boundaries (sync bytes, boxes), pseudo-random
 * inside, and the same for a VOD and segment every time. All segments are cut from one block. Each
 * stretch starts at a different offset, so that segments and stretches differ, and a swapped,
 * duplicated or shifted piece changes the digest.
 */
export function syntheticTrack(options: SyntheticOptions): MediaTrack {
  const sizes = options.segmentSizeBytes;
  const sizeOf = (index: number): number =>
    (typeof sizes === "number" ? sizes : sizes[index % sizes.length]) ?? 0;
  const largestBytes = typeof sizes === "number" ? sizes : Math.max(...sizes);
  return {
    container: options.container,
    bandwidthBps: Math.ceil((largestBytes * 8) / options.segmentDurationSec),
    init: (range) => (options.container === "fmp4" ? syntheticInit(options.vodId, range) : null),
    segment(place) {
      const name = `${options.vodId}/${place.index}${place.muted ? "/muted" : ""}`;
      return options.container === "ts"
        ? syntheticTs(name, sizeOf(place.index))
        : syntheticFragment(name, sizeOf(place.index), place.indexInRange, options);
    },
  };
}

/** A null packet that identifies the segment, then packets of noise. */
function syntheticTs(name: string, wantedBytes: number): ByteSource {
  const packets = Math.max(1, Math.ceil(wantedBytes / PACKET_BYTES));
  const first = Buffer.alloc(PACKET_BYTES, 0xff);
  first.set([0x47, 0x1f, 0xff, 0x10]);
  first.write(`stand-in ${name}\0`, 4, "latin1");
  return joinSources([bytesOf(first), noise(name, (packets - 1) * PACKET_BYTES)]);
}

function syntheticFragment(
  name: string,
  wantedBytes: number,
  indexInRange: number,
  options: SyntheticOptions,
): ByteSource {
  const startTicks = BigInt(Math.round(indexInRange * options.segmentDurationSec * TIMESCALE));
  const durationTicks = Math.round(options.segmentDurationSec * TIMESCALE);
  const tfdt = Buffer.alloc(8);
  tfdt.writeBigUInt64BE(startTicks);
  const headBytes = 24 + 8 + 16 + (8 + 16 + 20 + 28) + 8;
  const mdatBytes = Math.max(8, wantedBytes - headBytes);
  const head = Buffer.concat([
    box("styp", Buffer.from("msdh\0\0\0\0msdhmsix", "latin1")),
    box(
      "moof",
      fullBox("mfhd", 0, 0, words(indexInRange + 1)),
      box(
        "traf",
        fullBox("tfhd", 0, 0x020000, words(1)),
        fullBox("tfdt", 1, 0, tfdt),
        fullBox("trun", 0, 0x301, words(1, headBytes, durationTicks, mdatBytes)),
      ),
    ),
    words(mdatBytes + 8),
    Buffer.from("mdat", "latin1"),
  ]);
  return joinSources([bytesOf(head), noise(name, mdatBytes)]);
}

/** Not decodable, but with the boxes that a reader may check; each range has a different one. */
function syntheticInit(vodId: string, range: number): ByteSource {
  return bytesOf(
    Buffer.concat([
      box("ftyp", Buffer.from("iso5\0\0\x02\0iso5iso6mp41", "latin1")),
      box(
        "moov",
        fullBox("mvhd", 0, 0, words(0, 0, TIMESCALE, 0, 0x00010000), Buffer.alloc(76), words(2)),
        box("mvex", fullBox("trex", 0, 0, words(1, 1, 0, 0, 0))),
        box("udta", Buffer.from(`stand-in ${vodId} init ${range}`, "latin1")),
      ),
    ]),
  );
}

const TIMESCALE = 90_000;

function box(type: string, ...contents: Buffer[]): Buffer {
  const sizeBytes = contents.reduce((sum, content) => sum + content.byteLength, 8);
  return Buffer.concat([words(sizeBytes), Buffer.from(type, "latin1"), ...contents]);
}

function fullBox(type: string, version: number, flags: number, ...contents: Buffer[]): Buffer {
  return box(type, words(version * 2 ** 24 + flags), ...contents);
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

/** `sizeBytes` of the block; name and number of each stretch determine its starting packet. */
function noise(name: string, sizeBytes: number): ByteSource {
  return {
    sizeBytes,
    *slices(fromByte, toByte) {
      const block = (sharedBlock ??= makeBlock());
      const seed = createHash("sha256").update(name).digest().readUInt32BE(0);
      const startOf = (stretch: number): number =>
        (((seed + Math.imul(stretch, 0x9e3779b1)) >>> 0) % BLOCK_PACKETS) * PACKET_BYTES;
      let at = fromByte;
      while (at < toByte) {
        const stretch = Math.floor(at / BLOCK_BYTES);
        const within = at % BLOCK_BYTES;
        const inBlock = (startOf(stretch) + within) % BLOCK_BYTES;
        const length = Math.min(toByte - at, BLOCK_BYTES - within, BLOCK_BYTES - inBlock);
        yield block.subarray(inBlock, inBlock + length);
        at += length;
      }
    },
  };
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
