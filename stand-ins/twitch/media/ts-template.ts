import { readFileSync } from "node:fs";

/**
 * A base MPEG-TS segment with the offsets of its timestamps (ISO/IEC 13818-1 sections 2.4.3.4 and
 * 2.4.3.6). A long VOD repeats a few of these. `stampTs` shifts them so that time continues through
 * the repeats: program clock reference, presentation and decoding timestamps, and the continuity
 * counters, without which a decoder reports lost packets at each repeat.
 */
export type TsTemplate = {
  readonly bytes: Buffer;
  readonly pcrOffsets: readonly number[];
  readonly stampOffsets: readonly number[];
  /** For each packet, its index in `pids`. */
  readonly packetPids: Uint8Array;
  readonly pids: readonly number[];
  /** For each entry of `pids`, the packets with a payload; only these advance the counter. */
  readonly payloadPackets: readonly number[];
};

export const PACKET_BYTES = 188;
const SYNC_BYTE = 0x47;
/** PCR base, PTS and DTS are 33-bit values of a 90 kHz clock and wrap after 26.5 hours. */
const CLOCK_WRAP = 2 ** 33;

export function readTsTemplate(path: string | URL): TsTemplate {
  return parseTsTemplate(readFileSync(path));
}

export function parseTsTemplate(bytes: Buffer): TsTemplate {
  if (bytes.byteLength % PACKET_BYTES !== 0)
    throw new Error("a transport stream is a whole number of 188-byte packets");
  const pcrOffsets: number[] = [];
  const stampOffsets: number[] = [];
  const pids: number[] = [];
  const payloadPackets: number[] = [];
  const packetPids = new Uint8Array(bytes.byteLength / PACKET_BYTES);
  for (let start = 0; start < bytes.byteLength; start += PACKET_BYTES) {
    if (bytes.readUInt8(start) !== SYNC_BYTE) throw new Error(`no sync byte at ${start}`);
    const pid = bytes.readUInt16BE(start + 1) & 0x1fff;
    let slot = pids.indexOf(pid);
    if (slot < 0) {
      slot = pids.push(pid) - 1;
      payloadPackets.push(0);
    }
    packetPids[start / PACKET_BYTES] = slot;
    const hasAdaptation = (bytes.readUInt8(start + 3) & 0x20) !== 0;
    if (hasAdaptation && bytes.readUInt8(start + 4) > 0 && bytes.readUInt8(start + 5) & 0x10)
      pcrOffsets.push(start + 6);
    const payloadAt = payloadOffset(bytes, start);
    if (payloadAt === null) continue;
    payloadPackets[slot] = (payloadPackets[slot] ?? 0) + 1;
    if (startsUnit(bytes, start) && isPesHeader(bytes, payloadAt)) {
      const flags = bytes.readUInt8(payloadAt + 7) >> 6;
      if (flags & 0b10) stampOffsets.push(payloadAt + 9);
      if (flags === 0b11) stampOffsets.push(payloadAt + 14);
    }
  }
  return { bytes, pcrOffsets, stampOffsets, packetPids, pids, payloadPackets };
}

/** The offset of the packet's payload, or null without one. */
export function payloadOffset(bytes: Buffer, packetStart: number): number | null {
  const control = bytes.readUInt8(packetStart + 3);
  if ((control & 0x10) === 0) return null;
  const adaptationBytes = control & 0x20 ? 1 + bytes.readUInt8(packetStart + 4) : 0;
  const offset = packetStart + 4 + adaptationBytes;
  return offset < packetStart + PACKET_BYTES ? offset : null;
}

export function startsUnit(bytes: Buffer, packetStart: number): boolean {
  return (bytes.readUInt8(packetStart + 1) & 0x40) !== 0;
}

export function isPesHeader(bytes: Buffer, offset: number): boolean {
  return bytes.readUIntBE(offset, 3) === 1 && bytes.readUInt8(offset + 3) >= 0xbd;
}

/** A copy with timestamps shifted by `shiftTicks` (90 kHz) and counters by `counterShifts`. */
export function stampTs(
  template: TsTemplate,
  shiftTicks: number,
  counterShifts: readonly number[],
): Buffer {
  const bytes = Buffer.from(template.bytes);
  for (const offset of template.pcrOffsets)
    writePcrBase(bytes, offset, wrapClock(readPcrBase(bytes, offset) + shiftTicks));
  for (const offset of template.stampOffsets)
    writeStamp(bytes, offset, wrapClock(readStamp(bytes, offset) + shiftTicks));
  for (let packet = 0; packet < template.packetPids.length; packet += 1) {
    const shift = counterShifts[template.packetPids[packet] ?? 0] ?? 0;
    if (shift !== 0) {
      const offset = packet * PACKET_BYTES + 3;
      const control = bytes[offset] ?? 0;
      bytes[offset] = (control & 0xf0) | ((control + shift) & 0x0f);
    }
  }
  return bytes;
}

function wrapClock(ticks: number): number {
  return ((ticks % CLOCK_WRAP) + CLOCK_WRAP) % CLOCK_WRAP;
}

/** 33 bits; the last is the top bit of the fifth byte, before the 27 MHz extension. */
function readPcrBase(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * 2 + (bytes.readUInt8(offset + 4) >> 7);
}

function writePcrBase(bytes: Buffer, offset: number, ticks: number): void {
  bytes.writeUInt32BE(Math.floor(ticks / 2), offset);
  bytes.writeUInt8((bytes.readUInt8(offset + 4) & 0x7f) | ((ticks % 2) << 7), offset + 4);
}

/** Five bytes: 4 marker bits, then 3 + 15 + 15 bits of time with a marker bit after each group. */
function readStamp(bytes: Buffer, offset: number): number {
  const high = (bytes.readUInt8(offset) >> 1) & 0x07;
  const middle = bytes.readUInt16BE(offset + 1) >> 1;
  const low = bytes.readUInt16BE(offset + 3) >> 1;
  return high * 2 ** 30 + middle * 2 ** 15 + low;
}

function writeStamp(bytes: Buffer, offset: number, ticks: number): void {
  const high = Math.floor(ticks / 2 ** 30) & 0x07;
  const middle = Math.floor(ticks / 2 ** 15) & 0x7fff;
  const low = ticks % 2 ** 15;
  bytes.writeUInt8((bytes.readUInt8(offset) & 0xf1) | (high << 1), offset);
  bytes.writeUInt16BE((middle << 1) | 1, offset + 1);
  bytes.writeUInt16BE((low << 1) | 1, offset + 3);
}
