import { boxesIn, findBoxes } from "./mp4-template.ts";
import { isPesHeader, PACKET_BYTES, payloadOffset, startsUnit } from "./ts-template.ts";

/**
 * Muted segments (docs/twitch.md#muted-segments) keep their length and timestamps and lose their
 * sound: every AAC frame is replaced by a silent one of the same size, so that the same offsets can
 * be stamped as in the original. Decoders skip the zeros that pad the frame.
 */

/** A silent stereo AAC-LC frame: one empty channel pair (ISO/IEC 14496-3 section 4.4.2). */
const silentFrame = Buffer.from([0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80]);
const ADTS_HEADER_BYTES = 7;
/** The PID of audio packets, the same as on Twitch (docs/twitch.md#segments). */
const AUDIO_PID = 0x100;

export function silenceTs(segment: Buffer): Buffer {
  const bytes = Buffer.from(segment);
  const places = audioBytePlaces(bytes);
  let at = 0;
  while (at + ADTS_HEADER_BYTES <= places.length) {
    const read = (index: number): number => bytes[places[index] ?? 0] ?? 0;
    // ADTS: 12 sync bits, then the frame's length including the header, 13 bits from bit 30.
    if (read(at) !== 0xff || read(at + 1) >> 4 !== 0xf)
      throw new Error("the audio of a base segment is expected to be ADTS frames back to back");
    const frameBytes = ((read(at + 3) & 0x03) << 11) | (read(at + 4) << 3) | (read(at + 5) >> 5);
    for (let index = ADTS_HEADER_BYTES; index < frameBytes; index += 1)
      bytes[places[at + index] ?? 0] = silentFrame[index - ADTS_HEADER_BYTES] ?? 0;
    at += frameBytes;
  }
  return bytes;
}

/** Offsets in the segment of the bytes of the audio elementary stream, in stream order. */
function audioBytePlaces(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let start = 0; start < bytes.byteLength; start += PACKET_BYTES) {
    const pid = bytes.readUInt16BE(start + 1) & 0x1fff;
    let payloadAt = payloadOffset(bytes, start);
    if (pid !== AUDIO_PID || payloadAt === null) continue;
    if (startsUnit(bytes, start) && isPesHeader(bytes, payloadAt))
      payloadAt += 9 + bytes.readUInt8(payloadAt + 8);
    for (let place = payloadAt; place < start + PACKET_BYTES; place += 1) places.push(place);
  }
  return places;
}

export function silenceMp4(segment: Buffer, audioTrackId: number): Buffer {
  const bytes = Buffer.from(segment);
  for (const moof of findBoxes(bytes, ["moof"])) {
    for (const traf of boxesIn(bytes, moof.contentStart, moof.end)) {
      const children = traf.type === "traf" ? [...boxesIn(bytes, traf.contentStart, traf.end)] : [];
      const tfhd = children.find((box) => box.type === "tfhd");
      if (tfhd === undefined || bytes.readUInt32BE(tfhd.contentStart + 4) !== audioTrackId)
        continue;
      for (const trun of children.filter((box) => box.type === "trun"))
        silenceRun(bytes, moof.start, trun.contentStart);
    }
  }
  return bytes;
}

/** A track run (ISO/IEC 14496-12 section 8.8.8) with a data offset and sample sizes. */
function silenceRun(bytes: Buffer, moofStart: number, contentStart: number): void {
  const flags = bytes.readUIntBE(contentStart + 1, 3);
  if ((flags & 0x201) !== 0x201)
    throw new Error("the audio runs of base fragments are expected to carry offset and sizes");
  const samples = bytes.readUInt32BE(contentStart + 4);
  let dataAt = moofStart + bytes.readInt32BE(contentStart + 8);
  let entryAt = contentStart + 12 + (flags & 0x4 ? 4 : 0);
  const sizeAt = flags & 0x100 ? 4 : 0;
  const entryBytes = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4;
  for (let sample = 0; sample < samples; sample += 1) {
    const sampleBytes = bytes.readUInt32BE(entryAt + sizeAt);
    bytes.fill(0, dataAt, dataAt + sampleBytes);
    silentFrame.copy(bytes, dataAt, 0, sampleBytes);
    dataAt += sampleBytes;
    entryAt += entryBytes;
  }
}
