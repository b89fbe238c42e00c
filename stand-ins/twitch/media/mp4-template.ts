import { readFileSync } from "node:fs";

/**
 * A base fragment of an fMP4 VOD with the offsets of its timestamps (ISO/IEC 14496-12 sections
 * 8.8.5, 8.8.12 and 8.16.3). `stampMp4` shifts them so that time continues through the repeats.
 */
export type Mp4Template = {
  readonly bytes: Buffer;
  readonly clocks: readonly Mp4Clock[];
  readonly sequenceOffsets: readonly number[];
};

type Mp4Clock = {
  readonly trackId: number;
  readonly offset: number;
  readonly wide: boolean;
};

export type Mp4Box = {
  readonly type: string;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
};

export function* boxesIn(bytes: Buffer, start: number, end: number): Generator<Mp4Box> {
  let offset = start;
  while (offset + 8 <= end) {
    const shortSize = bytes.readUInt32BE(offset);
    const isLong = shortSize === 1;
    const size = isLong ? Number(bytes.readBigUInt64BE(offset + 8)) : shortSize;
    if (size < 8 || offset + size > end)
      throw new Error(`a box at ${offset} says it has ${size} bytes`);
    yield {
      type: bytes.toString("latin1", offset + 4, offset + 8),
      start: offset,
      contentStart: offset + (isLong ? 16 : 8),
      end: offset + size,
    };
    offset += size;
  }
}

export function findBoxes(bytes: Buffer, path: readonly string[]): Mp4Box[] {
  let found: Mp4Box[] = [{ type: "", start: 0, contentStart: 0, end: bytes.byteLength }];
  for (const type of path) {
    found = found.flatMap((box) =>
      [...boxesIn(bytes, box.contentStart, box.end)].filter((child) => child.type === type),
    );
  }
  return found;
}

export function readMp4Template(path: string | URL): Mp4Template {
  const bytes = readFileSync(path);
  const clocks: Mp4Clock[] = [];
  for (const traf of findBoxes(bytes, ["moof", "traf"])) {
    const children = [...boxesIn(bytes, traf.contentStart, traf.end)];
    const tfhd = children.find((box) => box.type === "tfhd");
    const tfdt = children.find((box) => box.type === "tfdt");
    if (tfhd !== undefined && tfdt !== undefined) {
      clocks.push({
        trackId: bytes.readUInt32BE(tfhd.contentStart + 4),
        offset: tfdt.contentStart + 4,
        wide: bytes.readUInt8(tfdt.contentStart) === 1,
      });
    }
  }
  // A segment index uses the timescale of its reference track, as tfdt does (section 8.16.3).
  for (const sidx of findBoxes(bytes, ["sidx"])) {
    clocks.push({
      trackId: bytes.readUInt32BE(sidx.contentStart + 4),
      offset: sidx.contentStart + 12,
      wide: bytes.readUInt8(sidx.contentStart) === 1,
    });
  }
  return {
    bytes,
    clocks,
    sequenceOffsets: findBoxes(bytes, ["moof", "mfhd"]).map((box) => box.contentStart + 4),
  };
}

/** Ticks per second by track, from the init segment's media headers. */
export function readTimescales(init: Buffer): Map<number, number> {
  const timescales = new Map<number, number>();
  for (const trak of findBoxes(init, ["moov", "trak"])) {
    const children = [...boxesIn(init, trak.contentStart, trak.end)];
    const tkhd = children.find((box) => box.type === "tkhd");
    const mdia = children.find((box) => box.type === "mdia");
    const mdhd =
      mdia && [...boxesIn(init, mdia.contentStart, mdia.end)].find((box) => box.type === "mdhd");
    if (tkhd !== undefined && mdhd !== undefined) {
      const idAt = tkhd.contentStart + (init.readUInt8(tkhd.contentStart) === 1 ? 20 : 12);
      const scaleAt = mdhd.contentStart + (init.readUInt8(mdhd.contentStart) === 1 ? 20 : 12);
      timescales.set(init.readUInt32BE(idAt), init.readUInt32BE(scaleAt));
    }
  }
  return timescales;
}

/** A copy shifted by `shiftSec` (earlier when negative), with fragment number `sequence`. */
export function stampMp4(
  template: Mp4Template,
  timescales: ReadonlyMap<number, number>,
  shiftSec: number,
  sequence: number,
): Buffer {
  const bytes = Buffer.from(template.bytes);
  for (const clock of template.clocks) {
    const shift = Math.round(shiftSec * (timescales.get(clock.trackId) ?? 0));
    const before = clock.wide
      ? Number(bytes.readBigUInt64BE(clock.offset))
      : bytes.readUInt32BE(clock.offset);
    const after = before + shift;
    if (clock.wide) {
      bytes.writeBigUInt64BE(BigInt(after), clock.offset);
    } else {
      bytes.writeUInt32BE(after, clock.offset);
    }
  }
  for (const offset of template.sequenceOffsets) bytes.writeUInt32BE(sequence, offset);
  return bytes;
}
